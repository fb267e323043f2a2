"""What the programs share: their arguments, the data, the stopwatch and the checksum."""

import sqlite3
import sys
import time

COLUMNS = [
    "id", "media_key", "last_played_date", "cover_image_data", "title", "artist", "descrip", "publish_date", "flags",
    "rating",
]


class Stopwatch:
    """Measures the block of a `with` statement."""

    def __enter__(self):
        self.start = time.perf_counter_ns()

    def __exit__(self, *_):
        self.elapsed = time.perf_counter_ns() - self.start


def query(path, sql):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


class Task:
    """What a program is to do: its name, the file with the data, and the file to work on."""

    def __init__(self):
        self.name, self.source, self.path, changed = sys.argv[1:]
        self.changed = int(changed)
        self.stopwatch = Stopwatch()

    def rows(self):
        """The albums to insert, as dictionaries without keys."""
        names = COLUMNS[1:]
        rows = query(self.source, f"SELECT {', '.join(names)} FROM ALBUM ORDER BY ID")
        return [dict(zip(names, row)) for row in rows]

    def keys(self):
        """The keys to find."""
        return [key for key, in query(self.source, "SELECT KEY FROM KEYS ORDER BY ROWID")]

    def run(self, functions):
        """Runs the function of the task's name, and prints its time and the checksum.

        A function returns the albums that it has read, and None if it has written: then the table is summed.
        """
        albums = functions[self.name]()
        if albums is None:
            total = query(
                self.path,
                "SELECT count(*), sum(ID * length(TITLE) + length(MEDIA_KEY) + FLAGS"
                " + ifnull(length(COVER_IMAGE_DATA), 0)) FROM ALBUM")[0]
        else:
            total = len(albums), sum(
                album.id * len(album.title) + len(album.media_key) + album.flags + len(album.cover_image_data or b"")
                for album in albums)
        print(self.name, self.stopwatch.elapsed, *total)


def new_title(key):
    return f"the new title of {key}"
