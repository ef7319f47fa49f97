# Writes an archive of a few kilobytes out to gigabytes.
import io, zipfile
small = io.BytesIO()
with zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("zeros", bytes(8 << 20))
with zipfile.ZipFile(small) as archive:
    for number in range(1000):
        archive.extract("zeros", f"/tmp/{number}")
