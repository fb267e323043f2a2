"""The tasks with peewee: https://docs.peewee-orm.com/en/latest/peewee/querying.html"""

from peewee import AutoField, BlobField, FloatField, IntegerField, Model, SqliteDatabase, TextField, chunked

from common import Task, new_title

task = Task()
db = SqliteDatabase(task.path, pragmas={"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1})


class Album(Model):
    id = AutoField(column_name="ID")
    media_key = TextField(column_name="MEDIA_KEY", null=True)
    last_played_date = FloatField(column_name="LAST_PLAYED_DATE", null=True)
    cover_image_data = BlobField(column_name="COVER_IMAGE_DATA", null=True)
    title = TextField(column_name="TITLE", null=True)
    artist = TextField(column_name="ARTIST", null=True)
    descrip = TextField(column_name="DESCRIP", null=True)
    publish_date = FloatField(column_name="PUBLISH_DATE", null=True)
    flags = IntegerField(column_name="FLAGS", null=True)
    rating = FloatField(column_name="RATING", null=True)

    class Meta:
        database = db
        table_name = "ALBUM"


def bulk_create():
    albums = [Album(**row) for row in task.rows()]
    with task.stopwatch, db.atomic():
        Album.bulk_create(albums, batch_size=100)


def insert_many():
    rows = task.rows()
    with task.stopwatch, db.atomic():
        for batch in chunked(rows, 100):
            Album.insert_many(batch).execute()


def select():
    with task.stopwatch:
        albums = list(Album.select())
    return albums


def get_by_id():
    keys = task.keys()
    with task.stopwatch:
        albums = [Album.get_by_id(key) for key in keys]
    return albums


def bulk_update():
    albums = list(Album.select().order_by(Album.id).limit(task.changed))
    with task.stopwatch, db.atomic():
        for album in albums:
            album.title = new_title(album.id)
        Album.bulk_update(albums, fields=[Album.title], batch_size=50)


def save():
    albums = list(Album.select().order_by(Album.id).limit(task.changed))
    with task.stopwatch, db.atomic():
        for album in albums:
            album.title = new_title(album.id)
            album.save(only=[Album.title])


def delete():
    with task.stopwatch:
        Album.delete().where(Album.id <= task.changed).execute()


db.connect()
task.run(globals())
db.close()
