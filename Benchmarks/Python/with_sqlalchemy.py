"""The tasks with SQLAlchemy: https://docs.sqlalchemy.org/en/21/orm/queryguide/"""

from typing import Optional

import sqlalchemy
from sqlalchemy import create_engine, event, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from common import Task, new_title

task = Task()
engine = create_engine(f"sqlite:///{task.path}")


@event.listens_for(engine, "connect")
def set_up(connection, _):
    for pragma in ["journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"]:
        connection.execute(f"PRAGMA {pragma}")


class Base(DeclarativeBase):
    pass


class Album(Base):
    __tablename__ = "ALBUM"

    id: Mapped[int] = mapped_column("ID", primary_key=True)
    media_key: Mapped[Optional[str]] = mapped_column("MEDIA_KEY")
    last_played_date: Mapped[Optional[float]] = mapped_column("LAST_PLAYED_DATE")
    cover_image_data: Mapped[Optional[bytes]] = mapped_column("COVER_IMAGE_DATA")
    title: Mapped[Optional[str]] = mapped_column("TITLE")
    artist: Mapped[Optional[str]] = mapped_column("ARTIST")
    descrip: Mapped[Optional[str]] = mapped_column("DESCRIP")
    publish_date: Mapped[Optional[float]] = mapped_column("PUBLISH_DATE")
    flags: Mapped[Optional[int]] = mapped_column("FLAGS")
    rating: Mapped[Optional[float]] = mapped_column("RATING")


def add_all():
    albums = [Album(**row) for row in task.rows()]
    with task.stopwatch:
        session.add_all(albums)
        session.commit()


def insert():
    rows = task.rows()
    with task.stopwatch:
        session.execute(sqlalchemy.insert(Album), rows)
        session.commit()


def scalars():
    with task.stopwatch:
        albums = session.scalars(select(Album)).all()
    return albums


def get():
    keys = task.keys()
    with task.stopwatch:
        albums = [session.get(Album, key) for key in keys]
    return albums


def commit():
    albums = session.scalars(select(Album).order_by(Album.id).limit(task.changed)).all()
    with task.stopwatch:
        for album in albums:
            album.title = new_title(album.id)
        session.commit()


def update():
    albums = session.scalars(select(Album).order_by(Album.id).limit(task.changed)).all()
    with task.stopwatch:
        session.execute(
            sqlalchemy.update(Album), [{"id": album.id, "title": new_title(album.id)} for album in albums])
        session.commit()


def delete():
    with task.stopwatch:
        session.execute(sqlalchemy.delete(Album).where(Album.id <= task.changed))
        session.commit()


with Session(engine) as session:
    # So that opening the file isn't measured.
    session.connection()
    task.run(globals())
