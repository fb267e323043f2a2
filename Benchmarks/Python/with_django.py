"""The tasks with Django: https://docs.djangoproject.com/en/5.2/topics/db/optimization/"""

import django
from django.conf import settings
from django.db import connection, models, transaction

from common import Task, new_title

task = Task()
settings.configure(DATABASES={
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": task.path,
        "OPTIONS": {"init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"},
    }
})
django.setup()


class Album(models.Model):
    id = models.AutoField(db_column="ID", primary_key=True)
    media_key = models.TextField(db_column="MEDIA_KEY", null=True)
    last_played_date = models.FloatField(db_column="LAST_PLAYED_DATE", null=True)
    cover_image_data = models.BinaryField(db_column="COVER_IMAGE_DATA", null=True)
    title = models.TextField(db_column="TITLE", null=True)
    artist = models.TextField(db_column="ARTIST", null=True)
    descrip = models.TextField(db_column="DESCRIP", null=True)
    publish_date = models.FloatField(db_column="PUBLISH_DATE", null=True)
    flags = models.IntegerField(db_column="FLAGS", null=True)
    rating = models.FloatField(db_column="RATING", null=True)

    class Meta:
        app_label = "albums"
        db_table = "ALBUM"


def bulk_create():
    albums = [Album(**row) for row in task.rows()]
    with task.stopwatch:
        Album.objects.bulk_create(albums)


def iterator():
    with task.stopwatch:
        albums = list(Album.objects.iterator())
    return albums


def get():
    keys = task.keys()
    with task.stopwatch:
        albums = [Album.objects.get(pk=key) for key in keys]
    return albums


def bulk_update():
    albums = list(Album.objects.order_by("id")[:task.changed])
    with task.stopwatch:
        for album in albums:
            album.title = new_title(album.id)
        Album.objects.bulk_update(albums, ["title"])


def save():
    albums = list(Album.objects.order_by("id")[:task.changed])
    with task.stopwatch, transaction.atomic():
        for album in albums:
            album.title = new_title(album.id)
            album.save(update_fields=["title"])


def delete():
    with task.stopwatch:
        Album.objects.filter(pk__lte=task.changed).delete()


# So that opening the file isn't measured.
connection.ensure_connection()
task.run(globals())
connection.close()
