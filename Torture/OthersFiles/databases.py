"""Makes databases as other programs make them, from their documented schemas: databases.py FOLDER.

Beside them it writes expected.json: for each table, the columns that hold times and the time of each row's value, in
seconds since 1970. Python works these out by itself, so that they are an oracle for what the library reads.
"""

import datetime
import json
import pathlib
import sqlite3
import sys
import uuid

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def text(value):
    """The time of a text such as 2024-05-01 10:00:00.5 or 2024-05-01T10:00:00+02:00; without an offset it is UTC."""
    compact = value.strip().replace(" +", "+").replace(" -", "-", 1) if value.endswith(":00") and " +" in value else value
    if compact.endswith(" UTC"):
        compact = compact[:-4]
    parsed = datetime.datetime.fromisoformat(compact)
    return ((parsed if parsed.tzinfo else parsed.replace(tzinfo=datetime.timezone.utc)) - EPOCH).total_seconds()


# What a stored number means, by the kind that a database's `times` name.
TIMES = {
    "text": text,
    "seconds": float,
    "milliseconds": lambda value: value / 1e3,
    "microseconds": lambda value: value / 1e6,
    "since 1601": lambda value: value / 1e6 - 11644473600,
    "since 2001": lambda value: value + 978307200,
    "julian": lambda value: (value - 2440587.5) * 86400,
}

U1, U2 = uuid.UUID("9c5b94b1-35ad-49bb-b118-8e8fc24abf80"), uuid.UUID("0c5b94b1-35ad-49bb-b118-8e8fc24abf80")

DATABASES = {
    "django": {
        "times": {
            "auth_user.last_login": "text", "auth_user.date_joined": "text", "django_session.expire_date": "text",
            "django_migrations.applied": "text", "music_track.at": "text", "music_track.released": "text",
        },
        "sql": f"""
            CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
                "app" varchar(255) NOT NULL, "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
            CREATE TABLE "auth_user" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "password" varchar(128) NOT NULL,
                "last_login" datetime NULL, "is_superuser" bool NOT NULL, "username" varchar(150) NOT NULL UNIQUE,
                "last_name" varchar(150) NOT NULL, "email" varchar(254) NOT NULL, "is_staff" bool NOT NULL,
                "is_active" bool NOT NULL, "date_joined" datetime NOT NULL, "first_name" varchar(150) NOT NULL);
            CREATE TABLE "auth_group" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
                "name" varchar(150) NOT NULL UNIQUE);
            CREATE TABLE "auth_user_groups" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
                "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED,
                "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED);
            CREATE UNIQUE INDEX "auth_user_groups_user_id_group_id_94350c0c_uniq"
                ON "auth_user_groups" ("user_id", "group_id");
            CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY,
                "session_data" text NOT NULL, "expire_date" datetime NOT NULL);
            CREATE INDEX "django_session_expire_date_a5c62663" ON "django_session" ("expire_date");
            CREATE TABLE "music_track" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "title" varchar(200) NOT NULL,
                "price" decimal NOT NULL, "token" char(32) NOT NULL UNIQUE, "released" date NULL, "at" datetime NOT NULL,
                "starts" time NULL, "length" bigint NULL, "loved" bool NOT NULL,
                "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)), "blob" BLOB NULL,
                "n" integer unsigned NULL CHECK ("n" >= 0), "f" real NULL, "ip" char(39) NULL);
            INSERT INTO django_migrations (app, name, applied) VALUES
                ('contenttypes', '0001_initial', '2026-11-25 04:41:39.701027'), ('auth', '0001', '2026-11-25 04:41:39');
            INSERT INTO auth_user VALUES
                (1, 'pbkdf2$x', NULL, 1, 'ann', '', 'a@b.c', 1, 1, '2026-11-25 04:41:39.826566', 'Ann'),
                (2, '!', '2026-11-25 10:00:00', 0, 'bob', 'Größe', '', 0, 1, '2026-11-25 04:41:39', '');
            INSERT INTO auth_group VALUES (1, 'editors');
            INSERT INTO auth_user_groups VALUES (1, 1, 1), (2, 2, 1);
            INSERT INTO django_session VALUES ('abc', 'eyJ9', '2026-12-09 04:41:39.500000'), ('abd', '', '2026-12-09 04:41:39');
            INSERT INTO music_track VALUES
                (1, 'Größe', 12.3, '{U1.hex}', '2024-05-01', '2024-05-01 10:00:00', '09:30:00', 61000005, 1,
                    '{{"b": 1, "a": [1]}}', x'0001', 3, 1.0, '::1'),
                (2, '', 5, '{U2.hex}', NULL, '1969-12-31 23:59:59.500000', '09:30:00.000005', NULL, 0, '{{}}', NULL,
                    NULL, NULL, NULL);
        """,
    },
    "sqlalchemy": {
        "times": {"track.at": "text", "track.day": "text", "track.i": "text"},
        "sql": f"""
            CREATE TABLE track (id INTEGER NOT NULL, title VARCHAR(50) NOT NULL, at DATETIME, day DATE, t TIME,
                loved BOOLEAN, price NUMERIC(10, 2), u CHAR(32), data JSON, b BLOB, e VARCHAR(4), i DATETIME, f FLOAT,
                big BIGINT, PRIMARY KEY (id), CHECK (loved IN (0, 1)));
            CREATE TABLE track_tag (track_id INTEGER NOT NULL, tag VARCHAR NOT NULL, position INTEGER,
                PRIMARY KEY (track_id, tag), FOREIGN KEY(track_id) REFERENCES track (id) ON DELETE CASCADE);
            INSERT INTO track VALUES
                (1, 'a', '2024-05-01 10:00:00.000000', '2024-05-01', '09:30:00.000000', 1, 12.3, '{U1.hex}', '{{"b": 1}}',
                    x'01', 'red', '1970-01-01 00:01:01.000000', 1.5, {2 ** 60}),
                (2, 'b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                (3, 'c', '1899-12-31 23:59:59.999999', '0999-01-01', '00:00:00.000001', 0, 12, '{U2.hex}', 'null',
                    x'', 'blue', '1970-01-02 00:00:00.000000', 2, -1);
            INSERT INTO track_tag VALUES (1, 'jazz', 0), (1, 'Ω', NULL), (3, '', 1);
        """,
    },
    "peewee": {
        "times": {"m.at": "text", "m.day": "text"},
        "sql": f"""
            CREATE TABLE "m" ("id" INTEGER NOT NULL PRIMARY KEY, "title" VARCHAR(255) NOT NULL, "at" DATETIME NOT NULL,
                "day" DATE, "t" TIME, "ts" INTEGER NOT NULL, "loved" INTEGER NOT NULL, "price" DECIMAL(10, 5),
                "u" TEXT, "b" BLOB, "f" REAL, "d" REAL, "big" INTEGER, "ip" INTEGER);
            CREATE INDEX "m_at" ON "m" ("at");
            INSERT INTO m VALUES
                (1, 'a', '2024-05-01 10:00:00', '2024-05-01', '09:30:00', 1795581700, 1, '12.30001', '{U1.hex}', x'01',
                    1.5, NULL, {2 ** 60}, 16909060),
                (2, 'b', '2024-05-01 10:00:00.000005', NULL, NULL, 0, 0, NULL, '', NULL, NULL, 1e300, NULL, NULL);
        """,
    },
    "rails": {
        "times": {
            "albums.created_at": "text", "albums.updated_at": "text", "albums.released_on": "text",
            "ar_internal_metadata.created_at": "text", "ar_internal_metadata.updated_at": "text",
        },
        "sql": f"""
            CREATE TABLE "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
            CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar,
                "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
            CREATE TABLE "artists" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar DEFAULT '' NOT NULL);
            CREATE TABLE "albums" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar, "price" decimal(10,2),
                "loved" boolean DEFAULT 0 NOT NULL, "token" char(36), "meta" json, "released_on" date, "cover" blob,
                "artist_id" integer NOT NULL, "rating" float, "created_at" datetime(6) NOT NULL,
                "updated_at" datetime(6) NOT NULL,
                CONSTRAINT "fk_rails_124a79559a" FOREIGN KEY ("artist_id") REFERENCES "artists" ("id"));
            CREATE INDEX "index_albums_on_artist_id" ON "albums" ("artist_id");
            CREATE UNIQUE INDEX "index_albums_on_title" ON "albums" ("title") WHERE loved = 1;
            INSERT INTO schema_migrations VALUES ('20240501100000'), ('20240501100001');
            INSERT INTO ar_internal_metadata VALUES
                ('environment', 'development', '2024-05-01 10:00:00.123456', '2024-05-01 10:00:00.123456');
            INSERT INTO artists VALUES (1, 'Miles'), (2, '');
            INSERT INTO albums VALUES
                (1, 'Kind of Blue', 9.99, 1, '{U1}', '{{"a":1}}', '1959-08-17', x'ff', 1, 4.5,
                    '2024-05-01 10:00:00.000000', '2024-05-01 10:00:00.123456'),
                (2, NULL, 10, 0, NULL, NULL, NULL, NULL, 2, NULL, '1999-12-31 23:59:59.999999', '2024-05-01 10:00:00.120000');
        """,
    },
    "javascript": {
        "times": {
            "Post.createdAt": "milliseconds", "Post.updatedAt": "milliseconds", "Users.createdAt": "text",
            "Users.updatedAt": "text", "notes.created": "text",
        },
        "sql": """
            CREATE TABLE "Post" ("id" TEXT NOT NULL PRIMARY KEY, "title" TEXT NOT NULL,
                "published" BOOLEAN NOT NULL DEFAULT false, "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
                "updatedAt" DATETIME NOT NULL, "views" BIGINT, "meta" JSONB, "price" DECIMAL);
            CREATE TABLE `Users` (`id` INTEGER PRIMARY KEY AUTOINCREMENT, `firstName` VARCHAR(255), `isAdmin` TINYINT(1),
                `createdAt` DATETIME NOT NULL, `updatedAt` DATETIME NOT NULL);
            CREATE TABLE notes (id integer primary key, created datetime, body text);
            INSERT INTO Post VALUES ('clv1', 'Hello', 1, 1714557600000, 1714557600123, 12, '{"b": 1, "a": 2}', 1.5),
                ('clv2', 'Ωmega', 0, 1714557600001, 1714557600000, NULL, NULL, 2);
            INSERT INTO Users VALUES
                (1, 'Ann', 1, '2024-05-01 10:00:00.000 +00:00', '2024-05-01 10:00:00.123 +00:00'),
                (2, NULL, NULL, '1999-12-31 23:59:59.999 +00:00', '2024-05-01 10:00:00.120 +00:00');
            INSERT INTO notes VALUES (1, '2024-05-01T10:00:00.000Z', 'a'), (2, '2024-05-01T10:00:00.120Z', NULL),
                (3, NULL, '');
        """,
    },
    "python": {
        "times": {"events.at": "text", "logs.at": "text", "zoned.at": "text"},
        "sql": """
            CREATE TABLE events (id INTEGER PRIMARY KEY, at TIMESTAMP, name TEXT);
            CREATE TABLE logs (id INTEGER PRIMARY KEY, at DATETIME NOT NULL);
            CREATE TABLE zoned (id INTEGER PRIMARY KEY, at TIMESTAMP);
            INSERT INTO events VALUES (1, '2024-05-01 10:00:00', 'str(datetime)'), (2, '2024-05-01 10:00:00.000005', NULL);
            INSERT INTO logs VALUES (1, '2024-05-01T10:00:00'), (2, '2024-05-01T10:00:00.120000');
            INSERT INTO zoned VALUES (1, '2024-05-01T10:00:00+00:00'), (2, '2024-05-01T10:00:00.120000+00:00');
        """,
    },
    "firefox": {
        "times": {},
        "sql": """
            CREATE TABLE moz_origins (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL, host TEXT NOT NULL,
                frecency INTEGER NOT NULL, UNIQUE (prefix, host));
            CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR,
                rev_host LONGVARCHAR, visit_count INTEGER DEFAULT 0, hidden INTEGER DEFAULT 0 NOT NULL,
                typed INTEGER DEFAULT 0 NOT NULL, frecency INTEGER DEFAULT -1 NOT NULL, last_visit_date INTEGER,
                guid TEXT, foreign_count INTEGER DEFAULT 0 NOT NULL, url_hash INTEGER DEFAULT 0 NOT NULL,
                description TEXT, preview_image_url TEXT, origin_id INTEGER REFERENCES moz_origins(id));
            CREATE INDEX moz_places_lastvisitdateindex ON moz_places (last_visit_date);
            CREATE UNIQUE INDEX moz_places_guid_uniqueindex ON moz_places (guid);
            CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER,
                visit_date INTEGER, visit_type INTEGER, session INTEGER);
            CREATE INDEX moz_historyvisits_placedateindex ON moz_historyvisits (place_id, visit_date);
            CREATE TABLE moz_anno_attributes (id INTEGER PRIMARY KEY, name VARCHAR(32) UNIQUE NOT NULL);
            CREATE TABLE moz_keywords (id INTEGER PRIMARY KEY AUTOINCREMENT, keyword TEXT UNIQUE, place_id INTEGER,
                post_data TEXT);
            CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT,
                value TEXT, host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER,
                isSecure INTEGER, isHttpOnly INTEGER, inBrowserElement INTEGER DEFAULT 0, sameSite INTEGER DEFAULT 0,
                CONSTRAINT moz_uniqueid UNIQUE (name, host, path, originAttributes));
            INSERT INTO moz_origins VALUES (1, 'https://', 'example.org', 100);
            INSERT INTO moz_places (id, url, title, rev_host, last_visit_date, guid, url_hash, origin_id) VALUES
                (1, 'https://example.org/', 'Example', 'gro.elpmaxe.', 1714557600123456, 'aaaaaaaaaaaa', 47356411089529, 1),
                (2, NULL, NULL, NULL, NULL, NULL, -1, NULL);
            INSERT INTO moz_historyvisits VALUES (1, 0, 1, 1714557600123456, 1, 0), (2, NULL, NULL, NULL, NULL, NULL);
            INSERT INTO moz_keywords VALUES (1, 'ex', 1, NULL);
            INSERT INTO moz_cookies (id, name, value, host, path, expiry) VALUES (1, 'a', x'00ff', '.org', '/', 1746093600);
        """,
    },
    "chromium": {
        "times": {},
        "sql": """
            CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
            CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT,url LONGVARCHAR,title LONGVARCHAR,
                visit_count INTEGER DEFAULT 0 NOT NULL,typed_count INTEGER DEFAULT 0 NOT NULL,
                last_visit_time INTEGER NOT NULL,hidden INTEGER DEFAULT 0 NOT NULL);
            CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT,url INTEGER NOT NULL,visit_time INTEGER NOT NULL,
                from_visit INTEGER,transition INTEGER DEFAULT 0 NOT NULL,segment_id INTEGER,
                visit_duration INTEGER DEFAULT 0 NOT NULL,incremented_omnibox_typed_score BOOLEAN DEFAULT FALSE NOT NULL);
            CREATE INDEX visits_url_index ON visits (url);
            CREATE TABLE keyword_search_terms (keyword_id INTEGER NOT NULL,url_id INTEGER NOT NULL,
                term LONGVARCHAR NOT NULL,normalized_term LONGVARCHAR NOT NULL);
            INSERT INTO meta VALUES ('version', '55'), ('mmap_status', '-1'), ('early', NULL);
            INSERT INTO urls VALUES (1, 'https://example.org/', 'Example', 1, 0, 13359031200123456, 0);
            INSERT INTO visits VALUES (1, 1, 13359031200123456, 0, 805306368, NULL, 0, 0), (2, 1, 0, NULL, 0, 1, 5, 1);
            INSERT INTO keyword_search_terms VALUES (2, 1, 'Swift', 'swift'), (2, 1, '', '');
        """,
    },
    "geopackage": {
        "times": {"gpkg_contents.last_change": "text"},
        "sql": """
            CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,
                organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL,
                description TEXT);
            CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL,
                identifier TEXT UNIQUE, description TEXT DEFAULT '',
                last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), min_x DOUBLE,
                min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
                CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
            CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
                geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
                CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
                CONSTRAINT uk_gc_table_name UNIQUE (table_name),
                CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
                CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
            CREATE TABLE airports (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom POINT, name TEXT(80),
                elevation MEDIUMINT, area MULTIPOLYGON, code BLOB(16));
            CREATE TRIGGER airports_touch AFTER INSERT ON airports BEGIN
                UPDATE gpkg_contents SET last_change = strftime('%Y-%m-%dT%H:%M:%fZ','now')
                    WHERE table_name = 'airports'; END;
            INSERT INTO gpkg_spatial_ref_sys VALUES ('WGS 84', 4326, 'EPSG', 4326, 'GEOGCS[…]', NULL),
                ('Undefined', -1, 'NONE', -1, 'undefined', 'x');
            INSERT INTO gpkg_contents VALUES
                ('airports', 'features', 'Airports', '', '2024-05-01T10:00:00.123Z', -180, -90.5, 180.0, 90, 4326);
            INSERT INTO gpkg_geometry_columns VALUES ('airports', 'geom', 'POINT', 4326, 0, 0);
            INSERT INTO airports (fid, geom, name, elevation, area, code)
                VALUES (1, x'47500001e6100000', 'BER', 48, NULL, x'00'), (2, NULL, NULL, NULL, x'4750', NULL);
            UPDATE gpkg_contents SET last_change = '2024-05-01T10:00:00.123Z';
        """,
    },
    "fossil": {
        "times": {"event.mtime": "julian", "event.omtime": "julian", "tagxref.mtime": "julian"},
        "sql": """
            CREATE TABLE blob(rid INTEGER PRIMARY KEY, rcvid INTEGER, size INTEGER, uuid TEXT UNIQUE NOT NULL,
                content BLOB, CHECK( length(uuid)>=40 AND rid>0 ));
            CREATE TABLE delta(rid INTEGER PRIMARY KEY, srcid INTEGER NOT NULL REFERENCES blob);
            CREATE TABLE user(uid INTEGER PRIMARY KEY, login TEXT UNIQUE, pw TEXT, cap TEXT, cookie TEXT, ipaddr TEXT,
                cexpire DATETIME, info TEXT, mtime DATE, photo BLOB);
            CREATE TABLE config(name TEXT PRIMARY KEY NOT NULL, value CLOB, mtime DATE, CHECK( typeof(name)='text' AND
                length(name)>=1 ));
            CREATE TABLE tag(tagid INTEGER PRIMARY KEY, tagname TEXT UNIQUE);
            CREATE TABLE tagxref(tagid INTEGER REFERENCES tag, tagtype INTEGER, srcid INTEGER REFERENCES blob,
                origid INTEGER REFERENCES blob, value TEXT, mtime TIMESTAMP, rid INTEGER REFERENCES blob,
                UNIQUE(rid, tagid));
            CREATE TABLE event(type TEXT, mtime DATETIME, objid INTEGER PRIMARY KEY, tagid INTEGER,
                uid INTEGER REFERENCES user, bgcolor TEXT, euser TEXT, user TEXT, ecomment TEXT, comment TEXT,
                brief TEXT, omtime DATETIME);
            CREATE INDEX event_i1 ON event(mtime);
            CREATE TABLE unversioned(uvid INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, rcvid INTEGER,
                mtime INTEGER, hash TEXT, sz INTEGER, encoding INT, content BLOB);
            INSERT INTO blob VALUES (1, 1, 5, '8e1b5a8d0d7a4f9d8c5c1d6c8a1a4b0a7f3e9d21', x'0000'),
                (2, 1, -1, 'ae1b5a8d0d7a4f9d8c5c1d6c8a1a4b0a7f3e9d21', NULL);
            INSERT INTO delta VALUES (2, 1);
            INSERT INTO user (uid, login, pw, cap) VALUES (1, 'drh', 'x', 's'), (2, 'anonymous', NULL, 'hz');
            INSERT INTO config (name, value) VALUES ('project-code', 'abc'), ('short', '1'), ('none', NULL);
            INSERT INTO tag VALUES (1, 'bgcolor'), (2, NULL);
            INSERT INTO event VALUES ('ci', 2460431.916666667, 1, NULL, 1, NULL, NULL, 'drh', NULL, 'first', NULL,
                2460431.916666667), ('w', 2451545.0, 2, 1, NULL, '#fff', 'x', 'drh', '', NULL, NULL, NULL);
            INSERT INTO tagxref VALUES (1, 1, 1, 1, NULL, 2460431.916666667, 1), (2, 2, 0, NULL, 'v', 2451545.0, 2);
            INSERT INTO unversioned VALUES (1, 'a.txt', 1, 1714557600, 'h', 5, 0, x'00');
        """,
    },
    "coredata": {
        "times": {"ZALBUM.ZRELEASED": "since 2001"},
        "sql": """
            CREATE TABLE ZALBUM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISLOVED INTEGER,
                ZARTIST INTEGER, ZRELEASED TIMESTAMP, ZRATING FLOAT, ZPRICE DECIMAL, ZTITLE VARCHAR, ZCOVER BLOB );
            CREATE INDEX ZALBUM_ZARTIST_INDEX ON ZALBUM (ZARTIST);
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE Z_1TAGS ( Z_1ALBUMS INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1ALBUMS, Z_2TAGS) );
            INSERT INTO ZALBUM VALUES (1, 1, 3, 1, 1, 736250400.123456, 4.5, 9.99, 'Größe', x'01'),
                (2, 1, 1, 0, NULL, 736250400, NULL, NULL, NULL, NULL);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Album', 0, 2), (2, 'Tag', 0, 0);
            INSERT INTO Z_METADATA VALUES (1, '0F5C', x'62706c697374');
            INSERT INTO Z_1TAGS VALUES (1, 1), (2, 1);
        """,
    },
    "odd": {
        "times": {},
        "sql": """
            CREATE TABLE "order" ("group" TEXT PRIMARY KEY, "select" INTEGER, "two words" REAL, "Ünï" BLOB, "a""b" TEXT)
                WITHOUT ROWID;
            CREATE TABLE no_key (a, b INT, "class" TEXT, self TEXT, init INTEGER);
            CREATE TABLE mixed (id INTEGER PRIMARY KEY, v, n NUMERIC, i INTEGER, r REAL, t TEXT, b BLOB, s STRING);
            CREATE TABLE camelCase (id INTEGER PRIMARY KEY, firstName TEXT, LastName TEXT, MIDDLE_NAME TEXT, url_id TEXT);
            CREATE TABLE pairs (a TEXT, b INTEGER, note TEXT, PRIMARY KEY (a, b));
            CREATE TABLE sums (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
                total INTEGER GENERATED ALWAYS AS (a + b) STORED, twice INTEGER AS (a * 2));
            CREATE TABLE strict_one (id INTEGER PRIMARY KEY, i INT NOT NULL, r REAL, t TEXT, b BLOB, a ANY) STRICT;
            CREATE TABLE keyed (code TEXT COLLATE NOCASE PRIMARY KEY, amount INTEGER DEFAULT (1 + 1), u UUID);
            CREATE VIEW totals AS SELECT a, count(*) AS n, sum(b) AS s FROM pairs GROUP BY a;
            INSERT INTO "order" VALUES ('a', 1, 1.5, x'00', 'q'), ('', NULL, NULL, NULL, NULL);
            INSERT INTO no_key VALUES (1, 1, 'x', 'y', 5), (1.5, NULL, NULL, NULL, NULL), ('t', 1, '', '', 0),
                (x'00', 2, 'x', NULL, NULL), (NULL, NULL, NULL, NULL, NULL);
            INSERT INTO mixed VALUES (1, 1, 1, 1, 1, '1', x'01', '1'), (2, '1', 'x', 'y', 'n/a', x'01', 'text', 'abc'),
                (3, 1.0, 1.5, 1.5, 2.5, '', 5, NULL), (4, x'01', x'01', x'01', x'01', NULL, NULL, 0.5),
                (5, NULL, NULL, NULL, NULL, NULL, NULL, '007');
            INSERT INTO camelCase VALUES (1, 'a', 'b', 'c', 'd');
            INSERT INTO pairs VALUES ('a', 1, NULL), ('a', 2, 'x'), ('b', 1, '');
            INSERT INTO sums (id, a, b) VALUES (1, 2, 3), (2, -1, 1);
            INSERT INTO strict_one VALUES (1, 1, 1.0, 'a', x'00', 'any'), (2, 2, NULL, NULL, NULL, 5);
            INSERT INTO keyed VALUES ('Ab', 1, '9c5b94b1-35ad-49bb-b118-8e8fc24abf80'), ('cd', NULL, NULL);
        """,
    },
}


def make(folder, name, database):
    path = folder / f"{name}.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(database["sql"])
    times = {}
    for name, kind in database["times"].items():
        table, column = name.split(".")
        # All columns, so that the rows come in the table's order and not in an index's.
        rows = connection.execute(f'SELECT * FROM "{table}"')
        place = [description[0] for description in rows.description].index(column)
        values = [row[place] for row in rows]
        times.setdefault(table, {})[column] = [None if value is None else TIMES[kind](value) for value in values]
    connection.close()
    return times


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    expected = {name: make(folder, name, database) for name, database in DATABASES.items()}
    (folder / "expected.json").write_text(json.dumps(expected))


main()
