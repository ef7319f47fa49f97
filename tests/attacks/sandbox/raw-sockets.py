# Sockets of every family and kind: raw, packet, netlink, and those that know no network namespace.
import os, socket
made = []
for family in range(46):
    for kind in (1, 2, 3, 5):
        try:
            made.append(socket.socket(family, kind))
        except OSError:
            pass
print(sorted({sock.family for sock in made}))
for cid in (0, 1, 2):
    try:
        vsock = socket.socket(40, socket.SOCK_STREAM)
        vsock.connect((cid, int(os.environ["PORT"])))
        print("REACHED", cid)
    except OSError as error:
        print(error)
