# Connects to sockets of the host: abstract names, and those of its services.
import glob, os, socket
paths = ["\0" + os.environ["ABSTRACT"], os.environ["SOCKET"], "/var/run/docker.sock", "/run/dbus/system_bus_socket", *glob.glob("/proc/*/root/run/*.sock")]
for path in paths:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            with socket.socket(socket.AF_UNIX, kind) as knock:
                knock.settimeout(0.3)
                knock.connect(path)
                knock.send(os.environ["MARK"].encode())
        except OSError as error:
            print(repr(path), error)
