"""Makes the archives beside it: one bundle with two tools, as Python's zipfile and Info-ZIP write it."""

import io, json, os, subprocess, sys, tempfile, zipfile

ID = "018faf50-b7b6-7a01-9a05-a22a6e0af101"
FOLDER = f"weather_{ID}"


def tool(slug, version):
    return {
        "schemaVersion": "2026-11-01", "bundleID": ID, "slug": slug, "version": version,
        "displayName": "Weather report", "description": "Fetch current weather for a city",
        "type": "http", "isEnabled": True, "isBuiltIn": False,
        "argSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
        "outputSchema": {"type": "string"},
        "impl": {
            "method": "GET", "urlTemplate": "https://api.weatherapi.com/v1/current.json?q=${city}&key=${WEATHER_API_KEY}",
            "headers": {"User-Agent": "MyApp/${version}"}, "bodyTemplate": "", "successCodes": [200],
            "timeoutMs": 10000, "responseEncoding": "json", "extractExpr": "$.current.condition.text", "errorMode": "fail",
        },
        "createdAt": "2024-05-14T13:44:00Z", "modifiedAt": "2024-06-01T09:17:10Z",
    }


FILES = {
    "bundle.json": {"bundleID": ID, "slug": "weather", "displayName": "Weather", "isEnabled": True, "description": ""},
    "forecast_v1.json": tool("forecast", "v1"),
    "weather_v2.json": tool("weather", "v2"),
}
TEXTS = {name: json.dumps(value, indent=2) for name, value in FILES.items()}


class Pipe(io.RawIOBase):
    """A file that cannot seek: sizes follow the data."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def python(path, method, extra=b"", pipe=False, folder=True):
    with open(path, "wb") as file, zipfile.ZipFile(Pipe(file) if pipe else file, "w", method) as archive:
        if folder:
            info = zipfile.ZipInfo(FOLDER + "/", (2026, 11, 17, 12, 0, 0))
            info.external_attr = 0o40755 << 16 | 0x10
            archive.writestr(info, b"")
        for name, text in TEXTS.items():
            info = zipfile.ZipInfo(f"{FOLDER}/{name}", (2026, 11, 17, 12, 0, 0))
            info.compress_type, info.extra, info.external_attr = method, extra, 0o100644 << 16
            info.comment = b"a comment" if extra else b""
            archive.writestr(info, text)
        archive.comment = b"by hand" if extra else b""


def info_zip(path):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/{FOLDER}")
        for name, text in TEXTS.items():
            with open(f"{folder}/{FOLDER}/{name}", "w") as file:
                file.write(text)
            os.utime(f"{folder}/{FOLDER}/{name}", (1794916800, 1794916800))
        subprocess.run(["zip", "-q", "-r", os.path.abspath(path), FOLDER], cwd=folder, check=True)


def finder(path):
    """The extra files that macOS puts into every archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in TEXTS.items():
            for entry, content in ((f"{FOLDER}/{name}", text), (f"__MACOSX/{FOLDER}/._{name}", "\0\5\x16\7")):
                info = zipfile.ZipInfo(entry, (2026, 11, 17, 12, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, content)
        archive.writestr(zipfile.ZipInfo(f"{FOLDER}/.DS_Store"), b"\0\0\0\1Bud1")


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(sys.argv[0])))
    for old in ("info-zip.zip",):
        if os.path.exists(old):
            os.remove(old)
    python("python-stored.zip", zipfile.ZIP_STORED)
    python("python-deflated.zip", zipfile.ZIP_DEFLATED, folder=False)
    # A time of Unix, and a field without a meaning.
    python("python-extra.zip", zipfile.ZIP_DEFLATED, extra=b"UT\5\0\1\0\0\0\0\xfe\xca\2\0hi")
    python("python-streamed.zip", zipfile.ZIP_DEFLATED, pipe=True)
    finder("macos.zip")
    info_zip("info-zip.zip")
