# Reaches for the world: names, a well-known address, the metadata of a cloud.
import socket, urllib.request
for deed in (lambda: socket.getaddrinfo("pypi.org", 443), lambda: socket.create_connection(("1.1.1.1", 443), 0.5),
             lambda: urllib.request.urlopen("http://169.254.169.254/latest/meta-data/", timeout=0.5).read()):
    try:
        print("REACHED", deed())
    except OSError as error:
        print(error)
