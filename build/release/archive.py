"""Packs a folder: archive.py FOLDER ARCHIVE EPOCH. The same files give the same bytes.

The name of ARCHIVE says how: .tar.gz (or .tgz) or .zip. Entries are sorted, belong to root, and have the time
EPOCH (seconds since 1970); what is executable stays so.
"""

import gzip
import os
import sys
import tarfile
import time
import zipfile


def files_of(folder):
    base = os.path.dirname(folder)
    for path, folders, names in os.walk(folder):
        folders.sort()
        yield path, os.path.relpath(path, base)
        for name in sorted(names):
            full = os.path.join(path, name)
            yield full, os.path.relpath(full, base)


def mode_of(path):
    return 0o755 if os.path.isdir(path) or os.access(path, os.X_OK) else 0o644


def write_tar(folder, target, epoch):
    with open(target, "wb") as file, gzip.GzipFile(
        filename="", mode="wb", compresslevel=6, fileobj=file, mtime=epoch
    ) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, name in files_of(folder):
            info = tarfile.TarInfo(name)
            info.mode, info.mtime = mode_of(path), epoch
            info.uname = info.gname = "root"
            if os.path.isdir(path):
                info.type = tarfile.DIRTYPE
                tar.addfile(info)
                continue
            info.size = os.path.getsize(path)
            with open(path, "rb") as content:
                tar.addfile(info, content)


def write_zip(folder, target, epoch):
    moment = time.gmtime(max(epoch, 315532800))[:6]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for path, name in files_of(folder):
            if os.path.isdir(path):
                continue
            info = zipfile.ZipInfo(name.replace(os.sep, "/"), moment)
            info.create_system, info.external_attr = 3, mode_of(path) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            with open(path, "rb") as content:
                packed.writestr(info, content.read())


folder, target, epoch = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
(write_zip if target.endswith(".zip") else write_tar)(folder, target, epoch)
