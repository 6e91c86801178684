-- A journal as the program wrote it at commit 72df480 (schema 3), before judges were part of a
-- grader's digest: `OldDuel` of conftest.py, three models; for the third the server, which is the
-- judge too, was at another port.
PRAGMA application_id = 1701397041;
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE calls (
        n INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        item_id TEXT NOT NULL,
        iteration INTEGER NOT NULL,
        phase TEXT NOT NULL,              -- generate or judge
        digest TEXT NOT NULL,             -- of the request as the plugin meant it
        occurrence INTEGER NOT NULL,      -- n-th time this digest in this sample and phase
        model TEXT NOT NULL,              -- spec of the model or judge asked
        messages TEXT NOT NULL,           -- JSON: [[role, content], ...]
        sent TEXT NOT NULL,               -- JSON: the exact parameters sent
        text TEXT NOT NULL,
        reasoning TEXT NOT NULL,
        finish TEXT NOT NULL,             -- normalised
        finish_raw TEXT,                  -- NULL when the server gave none
        returned_model TEXT,              -- likewise NULL
        fingerprint TEXT,                 -- likewise NULL
        request_id TEXT,                  -- likewise NULL
        input_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        reasoning_tokens INTEGER NOT NULL,
        latency_s REAL NOT NULL,
        attempts INTEGER NOT NULL,
        cost_usd REAL,                    -- NULL when the price is not known
        price_source TEXT,                -- likewise NULL
        at TEXT NOT NULL
    );
INSERT INTO "calls" VALUES(1,1,'1',1,'generate','9e3d455f2a9cae2309c4475b75634575',0,'openai/one at 127.0.0.1:18001','[["user","Comfort number 1, plainly."]]','{"temperature":0.5}','06dccb there, there','','stop','stop','one','fp_loopback','req_0',6,0,0,4,0,2.42088790000707376748e-02,1,0.0,'this machine''s own server','2026-11-22T06:28:09.016+00:00');
INSERT INTO "calls" VALUES(2,1,'2',1,'generate','d3f12d33eb3172faf868951ff2bb2c14',0,'openai/one at 127.0.0.1:18001','[["user","Comfort number 2, plainly."]]','{"temperature":0.5}','4ae08a there, there','','stop','stop','one','fp_loopback','req_1',6,0,0,4,0,2.32620480001060059294e-02,1,0.0,'this machine''s own server','2026-11-22T06:28:09.016+00:00');
INSERT INTO "calls" VALUES(3,1,'3',1,'generate','e91eb55a7baade5a22a60024a47cb237',0,'openai/one at 127.0.0.1:18001','[["user","Comfort number 3, plainly."]]','{"temperature":0.5}','2a5dc4 there, there','','stop','stop','one','fp_loopback','req_2',6,0,0,4,0,2.04207910001059644855e-02,1,0.0,'this machine''s own server','2026-11-22T06:28:09.016+00:00');
INSERT INTO "calls" VALUES(4,1,'1',1,'judge','bd45d41a121665fd1176b4fa6c468b6f',0,'openai/judge at 127.0.0.1:18001','[["user","How warm is this, from 0 to 9? 06dccb there, there"]]','{"temperature":0.0,"max_tokens":8000}','6','','stop','stop','judge','fp_loopback','req_3',12,0,0,1,0,6.1661820000153966248e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.028+00:00');
INSERT INTO "calls" VALUES(5,1,'2',1,'judge','ee320f13f909575070fa2964a0a799d5',0,'openai/judge at 127.0.0.1:18001','[["user","How warm is this, from 0 to 9? 4ae08a there, there"]]','{"temperature":0.0,"max_tokens":8000}','9','','stop','stop','judge','fp_loopback','req_4',12,0,0,1,0,4.94008399982703849673e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.028+00:00');
INSERT INTO "calls" VALUES(6,1,'3',1,'judge','f1a144b5d3ffb112281fc364c2a76f2d',0,'openai/judge at 127.0.0.1:18001','[["user","How warm is this, from 0 to 9? 2a5dc4 there, there"]]','{"temperature":0.0,"max_tokens":8000}','7','','stop','stop','judge','fp_loopback','req_5',12,0,0,1,0,4.99292299991793697699e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.029+00:00');
INSERT INTO "calls" VALUES(7,2,'1',1,'generate','57562d6d263ca7004b538c81a4e654fc',0,'openai/two at 127.0.0.1:18001','[["user","Comfort number 1, plainly."]]','{"temperature":0.5}','2738ff there, there','','stop','stop','two','fp_loopback','req_6',6,0,0,4,0,9.31901200056017842143e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.216+00:00');
INSERT INTO "calls" VALUES(8,2,'2',1,'generate','31b992265d18ff36ec9c5d3688799ad6',0,'openai/two at 127.0.0.1:18001','[["user","Comfort number 2, plainly."]]','{"temperature":0.5}','7bef11 there, there','','stop','stop','two','fp_loopback','req_7',6,0,0,4,0,5.7351989999006036669e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.217+00:00');
INSERT INTO "calls" VALUES(9,2,'3',1,'generate','e80642504dd9cfd6646e0a5024159a1a',0,'openai/two at 127.0.0.1:18001','[["user","Comfort number 3, plainly."]]','{"temperature":0.5}','5354dc there, there','','stop','stop','two','fp_loopback','req_8',6,0,0,4,0,5.89747200046986108645e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.218+00:00');
INSERT INTO "calls" VALUES(10,2,'1',1,'judge','9344b571e25f999d83cab35d988eee00',0,'openai/judge at 127.0.0.1:18001','[["user","How warm is this, from 0 to 9? 2738ff there, there"]]','{"temperature":0.0,"max_tokens":8000}','6','','stop','stop','judge','fp_loopback','req_9',12,0,0,1,0,1.28710069993758224882e-02,1,0.0,'this machine''s own server','2026-11-22T06:28:09.237+00:00');
INSERT INTO "calls" VALUES(11,2,'2',1,'judge','9135f7ea0037bc45bd3b862b3eb0ca6c',0,'openai/judge at 127.0.0.1:18001','[["user","How warm is this, from 0 to 9? 7bef11 there, there"]]','{"temperature":0.0,"max_tokens":8000}','9','','stop','stop','judge','fp_loopback','req_10',12,0,0,1,0,1.29928189999191090464e-02,1,0.0,'this machine''s own server','2026-11-22T06:28:09.237+00:00');
INSERT INTO "calls" VALUES(12,2,'3',1,'judge','eaeeb1e91bee484db97f425f3cdd89dc',0,'openai/judge at 127.0.0.1:18001','[["user","How warm is this, from 0 to 9? 5354dc there, there"]]','{"temperature":0.0,"max_tokens":8000}','5','','stop','stop','judge','fp_loopback','req_11',12,0,0,1,0,1.34780120006325887516e-02,1,0.0,'this machine''s own server','2026-11-22T06:28:09.238+00:00');
INSERT INTO "calls" VALUES(13,2,'1',1,'compare','92fd024c0c6c20673ef21fc7083a9fdb',0,'openai/judge at 127.0.0.1:18001','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_12',15,0,0,1,0,2.57035200047539547085e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.284+00:00');
INSERT INTO "calls" VALUES(14,2,'1',1,'compare','5299f60aece16ae0f80ef5427d9b9d78',0,'openai/judge at 127.0.0.1:18001','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_13',15,0,0,1,0,1.94426800044311676174e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.284+00:00');
INSERT INTO "calls" VALUES(15,2,'2',1,'compare','a26cd39c97884053f7bbe62542ca869b',0,'openai/judge at 127.0.0.1:18001','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_14',15,0,0,1,0,2.5614679998398059979e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.331+00:00');
INSERT INTO "calls" VALUES(16,2,'2',1,'compare','ffb2feacf6ae88f63c35eae68e781ccb',0,'openai/judge at 127.0.0.1:18001','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_15',15,0,0,1,0,1.99808799970924155786e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.332+00:00');
INSERT INTO "calls" VALUES(17,2,'3',1,'compare','6ba5378dec5f83af5d68cf4d84b53207',0,'openai/judge at 127.0.0.1:18001','[]','{"temperature":0.0,"max_tokens":8000}','B','','stop','stop','judge','fp_loopback','req_16',15,0,0,1,0,4.31015499998466111719e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.361+00:00');
INSERT INTO "calls" VALUES(18,2,'3',1,'compare','4c25fcd821a8a7280419111031023662',0,'openai/judge at 127.0.0.1:18001','[]','{"temperature":0.0,"max_tokens":8000}','B','','stop','stop','judge','fp_loopback','req_17',15,0,0,1,0,3.69366599989007227122e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.361+00:00');
INSERT INTO "calls" VALUES(19,3,'1',1,'generate','6e8a1259a8fa9b61beccd91558b33978',0,'openai/three at 127.0.0.1:18002','[["user","Comfort number 1, plainly."]]','{"temperature":0.5}','2c78cc there, there','','stop','stop','three','fp_loopback','req_0',6,0,0,4,0,5.04344900036812759935e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.551+00:00');
INSERT INTO "calls" VALUES(20,3,'2',1,'generate','f3ac6420df09fd02115346b79376a710',0,'openai/three at 127.0.0.1:18002','[["user","Comfort number 2, plainly."]]','{"temperature":0.5}','c1b570 there, there','','stop','stop','three','fp_loopback','req_1',6,0,0,4,0,4.87572900055965874344e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.552+00:00');
INSERT INTO "calls" VALUES(21,3,'3',1,'generate','f0565293f4138b189ee7747b8d7d4cda',0,'openai/three at 127.0.0.1:18002','[["user","Comfort number 3, plainly."]]','{"temperature":0.5}','e65463 there, there','','stop','stop','three','fp_loopback','req_2',6,0,0,4,0,4.95880200014653382822e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.552+00:00');
INSERT INTO "calls" VALUES(22,3,'1',1,'judge','82401ccd3afce272bdb1cd19a79de2b4',0,'openai/judge at 127.0.0.1:18002','[["user","How warm is this, from 0 to 9? 2c78cc there, there"]]','{"temperature":0.0,"max_tokens":8000}','7','','stop','stop','judge','fp_loopback','req_3',12,0,0,1,0,4.37462100035190815106e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.568+00:00');
INSERT INTO "calls" VALUES(23,3,'2',1,'judge','609008910abbe6bde18bc767affc6c89',0,'openai/judge at 127.0.0.1:18002','[["user","How warm is this, from 0 to 9? c1b570 there, there"]]','{"temperature":0.0,"max_tokens":8000}','5','','stop','stop','judge','fp_loopback','req_4',12,0,0,1,0,4.41406000027200207114e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.569+00:00');
INSERT INTO "calls" VALUES(24,3,'3',1,'judge','383c629e7b28500c761ebadd4e6f4feb',0,'openai/judge at 127.0.0.1:18002','[["user","How warm is this, from 0 to 9? e65463 there, there"]]','{"temperature":0.0,"max_tokens":8000}','7','','stop','stop','judge','fp_loopback','req_5',12,0,0,1,0,4.52464499994675861671e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.569+00:00');
INSERT INTO "calls" VALUES(25,3,'1',1,'compare','452fb4e28ca5f0edc05361866e890098',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','B','','stop','stop','judge','fp_loopback','req_6',15,0,0,1,0,8.55672600027901353314e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.603+00:00');
INSERT INTO "calls" VALUES(26,3,'1',1,'compare','1f79153e00099f332f890f11c86e7d94',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_7',15,0,0,1,0,3.54769900059181964024e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.603+00:00');
INSERT INTO "calls" VALUES(27,3,'2',1,'compare','02519ed06b0dcc9a1eaa82d97a8c0779',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_8',15,0,0,1,0,2.96902499940188135951e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.603+00:00');
INSERT INTO "calls" VALUES(28,3,'2',1,'compare','ef69db280873982e6a8d80c1fccdfe96',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_9',15,0,0,1,0,3.14473799971892731264e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.604+00:00');
INSERT INTO "calls" VALUES(29,3,'3',1,'compare','cafd071c5c3be87d89b3ceb54a91fa73',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_10',15,0,0,1,0,3.88613300037832232192e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.634+00:00');
INSERT INTO "calls" VALUES(30,3,'3',1,'compare','53ccfc855fb53dd393c3edaa6e90ab02',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_11',15,0,0,1,0,3.2771450005384394899e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.634+00:00');
INSERT INTO "calls" VALUES(31,3,'2',1,'compare','eb51419df590b49307d75b73a33a682a',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','B','','stop','stop','judge','fp_loopback','req_12',15,0,0,1,0,2.83649899938609451055e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.635+00:00');
INSERT INTO "calls" VALUES(32,3,'2',1,'compare','399020dc486ca5d5443e05af5e34922f',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','B','','stop','stop','judge','fp_loopback','req_13',15,0,0,1,0,2.57161400077166035771e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.635+00:00');
INSERT INTO "calls" VALUES(33,3,'3',1,'compare','8c4314c7cc769f0a7c96a26e12bacc8b',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','A','','stop','stop','judge','fp_loopback','req_14',15,0,0,1,0,4.06354700044175842776e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.668+00:00');
INSERT INTO "calls" VALUES(34,3,'3',1,'compare','8d52df886badf6ef6ccc784a4c543399',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','B','','stop','stop','judge','fp_loopback','req_15',15,0,0,1,0,3.42063900006905896589e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.668+00:00');
INSERT INTO "calls" VALUES(35,3,'1',1,'compare','aeea5f0fb1e9e96af235d2858dd0c6c5',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','B','','stop','stop','judge','fp_loopback','req_16',15,0,0,1,0,2.71803199939313344657e-03,1,0.0,'this machine''s own server','2026-11-22T06:28:09.669+00:00');
INSERT INTO "calls" VALUES(36,3,'1',1,'compare','1ffce2886830f79600645cb566162692',0,'openai/judge at 127.0.0.1:18002','[]','{"temperature":0.0,"max_tokens":8000}','B','','stop','stop','judge','fp_loopback','req_17',15,0,0,1,0,0.00247238500014646,1,0.0,'this machine''s own server','2026-11-22T06:28:09.669+00:00');
CREATE TABLE comparisons (
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE, -- for whose rating it was asked
        pool TEXT NOT NULL,               -- digest of what must be alike in one rating
        item_id TEXT NOT NULL,
        iteration INTEGER NOT NULL,
        run_a TEXT NOT NULL,              -- run_id of `run`
        run_b TEXT NOT NULL,              -- run_id of the other; it may be on another machine
        a TEXT NOT NULL,                  -- name of the model of run_a
        b TEXT NOT NULL,
        first TEXT NOT NULL,              -- a or b: whose transcript the judge read first
        batch INTEGER NOT NULL,           -- in which the comparison was planned, from 1
        stage TEXT NOT NULL,              -- what the schedule was doing
        rank INTEGER,                     -- where the model stood then; NULL before the first
        status TEXT NOT NULL,             -- planned, read, unread, or known: run_b's own run has it
        judge TEXT NOT NULL,              -- label of the judge
        family TEXT NOT NULL,
        margins TEXT NOT NULL,            -- JSON: by criterion, positive where a wins
        reason TEXT,                      -- why unread; else NULL
        flags TEXT NOT NULL,              -- JSON
        transcript_a TEXT,                -- digest; NULL while planned
        transcript_b TEXT,                -- likewise NULL
        len_a INTEGER,                    -- characters that the judge saw; likewise NULL
        len_b INTEGER,                    -- likewise NULL
        at TEXT NOT NULL,
        PRIMARY KEY (run, pool, item_id, iteration, run_b, first)
    ) WITHOUT ROWID;
INSERT INTO "comparisons" VALUES(2,'58975eb06702e7247ad4a9066f152977','1',1,'c292aca4','786ccfc1','openai/two','openai/one','a',1,'all 1',NULL,'read','openai/judge at 127.0.0.1:18001','1','{"warmth":2}',NULL,'[]','9b48de488c1b722fd807efc7c8616001','177c445233b02cd511cfba60b52961a5',NULL,NULL,'2026-11-22T06:28:09.296+00:00');
INSERT INTO "comparisons" VALUES(2,'58975eb06702e7247ad4a9066f152977','1',1,'c292aca4','786ccfc1','openai/two','openai/one','b',1,'all 1',NULL,'read','openai/judge at 127.0.0.1:18001','1','{"warmth":-2}',NULL,'[]','9b48de488c1b722fd807efc7c8616001','177c445233b02cd511cfba60b52961a5',NULL,NULL,'2026-11-22T06:28:09.296+00:00');
INSERT INTO "comparisons" VALUES(2,'58975eb06702e7247ad4a9066f152977','2',1,'c292aca4','786ccfc1','openai/two','openai/one','a',2,'all 2',1,'read','openai/judge at 127.0.0.1:18001','2','{"warmth":2}',NULL,'[]','22431d06ad52f390f6d8969b9e67a63f','f402c3f3c53bcefb0f6dfcca7bb916fb',NULL,NULL,'2026-11-22T06:28:09.340+00:00');
INSERT INTO "comparisons" VALUES(2,'58975eb06702e7247ad4a9066f152977','2',1,'c292aca4','786ccfc1','openai/two','openai/one','b',2,'all 2',1,'read','openai/judge at 127.0.0.1:18001','2','{"warmth":-2}',NULL,'[]','22431d06ad52f390f6d8969b9e67a63f','f402c3f3c53bcefb0f6dfcca7bb916fb',NULL,NULL,'2026-11-22T06:28:09.340+00:00');
INSERT INTO "comparisons" VALUES(2,'58975eb06702e7247ad4a9066f152977','3',1,'c292aca4','786ccfc1','openai/two','openai/one','a',3,'all 3',1,'read','openai/judge at 127.0.0.1:18001','3','{"warmth":-2}',NULL,'[]','bbadd43d0364eff1464b5626667bb286','10181a7544b9c03aae7ba076a37ed42f',NULL,NULL,'2026-11-22T06:28:09.372+00:00');
INSERT INTO "comparisons" VALUES(2,'58975eb06702e7247ad4a9066f152977','3',1,'c292aca4','786ccfc1','openai/two','openai/one','b',3,'all 3',1,'read','openai/judge at 127.0.0.1:18001','3','{"warmth":2}',NULL,'[]','bbadd43d0364eff1464b5626667bb286','10181a7544b9c03aae7ba076a37ed42f',NULL,NULL,'2026-11-22T06:28:09.372+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','1',1,'3c204225','786ccfc1','openai/three','openai/one','a',1,'all 1',NULL,'read','openai/judge at 127.0.0.1:18002','1','{"warmth":-2}',NULL,'[]','e9cdb29a3e5863d6d7043e43d4a6e78c','177c445233b02cd511cfba60b52961a5',NULL,NULL,'2026-11-22T06:28:09.612+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','1',1,'3c204225','786ccfc1','openai/three','openai/one','b',1,'all 1',NULL,'read','openai/judge at 127.0.0.1:18002','1','{"warmth":-2}',NULL,'[]','e9cdb29a3e5863d6d7043e43d4a6e78c','177c445233b02cd511cfba60b52961a5',NULL,NULL,'2026-11-22T06:28:09.612+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','1',1,'3c204225','c292aca4','openai/three','openai/two','a',3,'all 3',3,'read','openai/judge at 127.0.0.1:18002','1','{"warmth":-2}',NULL,'[]','e9cdb29a3e5863d6d7043e43d4a6e78c','9b48de488c1b722fd807efc7c8616001',NULL,NULL,'2026-11-22T06:28:09.674+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','1',1,'3c204225','c292aca4','openai/three','openai/two','b',3,'all 3',3,'read','openai/judge at 127.0.0.1:18002','1','{"warmth":2}',NULL,'[]','e9cdb29a3e5863d6d7043e43d4a6e78c','9b48de488c1b722fd807efc7c8616001',NULL,NULL,'2026-11-22T06:28:09.674+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','2',1,'3c204225','786ccfc1','openai/three','openai/one','a',2,'all 2',3,'read','openai/judge at 127.0.0.1:18002','2','{"warmth":-2}',NULL,'[]','58d849d93ba81b3deb5429eaefa6d43c','f402c3f3c53bcefb0f6dfcca7bb916fb',NULL,NULL,'2026-11-22T06:28:09.646+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','2',1,'3c204225','786ccfc1','openai/three','openai/one','b',2,'all 2',3,'read','openai/judge at 127.0.0.1:18002','2','{"warmth":2}',NULL,'[]','58d849d93ba81b3deb5429eaefa6d43c','f402c3f3c53bcefb0f6dfcca7bb916fb',NULL,NULL,'2026-11-22T06:28:09.646+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','2',1,'3c204225','c292aca4','openai/three','openai/two','a',1,'all 1',NULL,'read','openai/judge at 127.0.0.1:18002','2','{"warmth":2}',NULL,'[]','58d849d93ba81b3deb5429eaefa6d43c','22431d06ad52f390f6d8969b9e67a63f',NULL,NULL,'2026-11-22T06:28:09.612+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','2',1,'3c204225','c292aca4','openai/three','openai/two','b',1,'all 1',NULL,'read','openai/judge at 127.0.0.1:18002','2','{"warmth":-2}',NULL,'[]','58d849d93ba81b3deb5429eaefa6d43c','22431d06ad52f390f6d8969b9e67a63f',NULL,NULL,'2026-11-22T06:28:09.612+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','3',1,'3c204225','786ccfc1','openai/three','openai/one','a',3,'all 3',3,'read','openai/judge at 127.0.0.1:18002','3','{"warmth":2}',NULL,'[]','be382f137edf6642b217dfe526e172fe','10181a7544b9c03aae7ba076a37ed42f',NULL,NULL,'2026-11-22T06:28:09.674+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','3',1,'3c204225','786ccfc1','openai/three','openai/one','b',3,'all 3',3,'read','openai/judge at 127.0.0.1:18002','3','{"warmth":2}',NULL,'[]','be382f137edf6642b217dfe526e172fe','10181a7544b9c03aae7ba076a37ed42f',NULL,NULL,'2026-11-22T06:28:09.674+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','3',1,'3c204225','c292aca4','openai/three','openai/two','a',2,'all 2',3,'read','openai/judge at 127.0.0.1:18002','3','{"warmth":2}',NULL,'[]','be382f137edf6642b217dfe526e172fe','bbadd43d0364eff1464b5626667bb286',NULL,NULL,'2026-11-22T06:28:09.646+00:00');
INSERT INTO "comparisons" VALUES(3,'45ead986d283264f624f88740b7bc19e','3',1,'3c204225','c292aca4','openai/three','openai/two','b',2,'all 2',3,'read','openai/judge at 127.0.0.1:18002','3','{"warmth":-2}',NULL,'[]','be382f137edf6642b217dfe526e172fe','bbadd43d0364eff1464b5626667bb286',NULL,NULL,'2026-11-22T06:28:09.646+00:00');
CREATE TABLE failures (
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        item_id TEXT NOT NULL,
        iteration INTEGER NOT NULL,
        kind TEXT NOT NULL,
        reason TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (run, item_id, iteration)
    ) WITHOUT ROWID;
CREATE TABLE grades (
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        grader TEXT NOT NULL,             -- digest of judge, parser and benchmark version
        item_id TEXT NOT NULL,
        iteration INTEGER NOT NULL,
        "values" TEXT NOT NULL,           -- JSON: the sample's numbers by name
        reason TEXT,                      -- why unscored; NULL when scored
        flags TEXT NOT NULL,              -- JSON
        detail TEXT NOT NULL,             -- JSON
        at TEXT NOT NULL, graded_by TEXT,
        PRIMARY KEY (run, grader, item_id, iteration)
    ) WITHOUT ROWID;
INSERT INTO "grades" VALUES(1,'44395d5deaae73e66db32e4f19270b0f','1',1,'{"warmth":6.0}',NULL,'[]','{}','2026-11-22T06:28:09.034+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18001","options":{"reader":"plain"}}');
INSERT INTO "grades" VALUES(1,'44395d5deaae73e66db32e4f19270b0f','2',1,'{"warmth":9.0}',NULL,'[]','{}','2026-11-22T06:28:09.034+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18001","options":{"reader":"plain"}}');
INSERT INTO "grades" VALUES(1,'44395d5deaae73e66db32e4f19270b0f','3',1,'{"warmth":7.0}',NULL,'[]','{}','2026-11-22T06:28:09.034+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18001","options":{"reader":"plain"}}');
INSERT INTO "grades" VALUES(2,'44395d5deaae73e66db32e4f19270b0f','1',1,'{"warmth":6.0}',NULL,'[]','{}','2026-11-22T06:28:09.244+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18001","options":{"reader":"plain"}}');
INSERT INTO "grades" VALUES(2,'44395d5deaae73e66db32e4f19270b0f','2',1,'{"warmth":9.0}',NULL,'[]','{}','2026-11-22T06:28:09.244+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18001","options":{"reader":"plain"}}');
INSERT INTO "grades" VALUES(2,'44395d5deaae73e66db32e4f19270b0f','3',1,'{"warmth":5.0}',NULL,'[]','{}','2026-11-22T06:28:09.244+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18001","options":{"reader":"plain"}}');
INSERT INTO "grades" VALUES(3,'058bb777cfab0052cd96f4a0211a3b35','1',1,'{"warmth":7.0}',NULL,'[]','{}','2026-11-22T06:28:09.576+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18002","options":{"reader":"plain"}}');
INSERT INTO "grades" VALUES(3,'058bb777cfab0052cd96f4a0211a3b35','2',1,'{"warmth":5.0}',NULL,'[]','{}','2026-11-22T06:28:09.576+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18002","options":{"reader":"plain"}}');
INSERT INTO "grades" VALUES(3,'058bb777cfab0052cd96f4a0211a3b35','3',1,'{"warmth":7.0}',NULL,'[]','{}','2026-11-22T06:28:09.576+00:00','{"version":"1","judge":"openai/judge at 127.0.0.1:18002","options":{"reader":"plain"}}');
CREATE TABLE runs (
        n INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL UNIQUE,
        identity TEXT NOT NULL,           -- digest of what makes it this run (docs/runs.md)
        ordinal INTEGER NOT NULL,         -- 2 and more for --fresh
        benchmark TEXT NOT NULL,
        benchmark_version TEXT NOT NULL,
        model TEXT NOT NULL,              -- the spec
        name TEXT NOT NULL,               -- --name, or the spec
        demo INTEGER NOT NULL,
        pack_name TEXT NOT NULL,
        pack_sha256 TEXT NOT NULL,
        endpoint TEXT,                    -- host and port; NULL when nothing leaves the process
        settings TEXT NOT NULL,           -- JSON: options, sampling, system prompt, notes, versions
        created_at TEXT NOT NULL,
        finished_at TEXT,                 -- NULL until a command has gone through all samples
        status TEXT NOT NULL,
        elapsed_s REAL NOT NULL DEFAULT 0, -- of all commands that worked on it
        document TEXT                     -- JSON: the last result; NULL before the first
    );
INSERT INTO "runs" VALUES(1,'786ccfc1','786ccfc1d1a54661ad1247ecc1a788fc',1,'duel','1','openai/one','openai/one',0,'bundled','96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e','127.0.0.1:18001','{"benchmark": "duel", "version": "1", "pack": "96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e", "prompts": {"ask": "f7a246bf7646d766eb51ebe625c1cd3f", "judge": "585a3af27779f91bdb398fe978c2684c", "pair": "9183303d70106c9fa0361ab394607587"}, "model": "openai/one", "endpoint": "http://127.0.0.1:18001/v1", "sampling": {"temperature": 0.5}, "system": null, "name": null, "options": {"tone": "plainly"}, "all_options": {"tone": "plainly", "reader": "plain"}, "dataset": null, "notes": {}, "versions": {"python": "3.11.7", "eibench": "0.1.0", "openai": "2.54.0", "anthropic": "2.11.0", "litellm": "1.106.2", "numpy": "2.4.6"}}','2026-11-22T06:28:07.750+00:00','2026-11-22T06:28:09.090+00:00','complete',1.30687679699985892511e+00,'{"run_id":"786ccfc1","benchmark":"duel","benchmark_version":"1","status":"complete","demo":false,"imported":null,"model":"openai/one","name":"openai/one","endpoint":"127.0.0.1:18001","judge":"openai/judge","judge_endpoint":"127.0.0.1:18001","options":{"tone":"plainly","reader":"plain"},"sampling":{"temperature":0.5},"not_sent":[],"dataset":{"name":"bundled","sha256":"96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e","n_items":3},"iterations":1,"comparability":"duel v1; pack bundled (96055ddc4637); tone plainly; reader plain; judge openai/judge at 127.0.0.1:18001; beside nothing","metrics":{"warmth":{"value":7.333333333333333,"ci95":null,"n":3,"higher_is_better":true}},"metric_labels":{"warmth":["",""]},"metric_groups":{},"invalid":null,"notes":{"rating":{"engine":"glicko2","stopped":null}},"baselines":{},"items":{"total":3,"scored":3,"unscored":0,"failed":0,"truncated":0,"pending":0},"unscored":[],"failed":[],"flags":{},"calls":{"model":3,"judge":3,"replayed":0,"retries":0},"tokens":{"input":54,"cached":0,"output":15,"reasoning":0},"cost_usd":0,"elapsed_s":1.307,"comparisons":{"total":0,"read":0,"unread":0,"planned":0,"opponents":[]},"ratings":[],"warnings":[]}');
INSERT INTO "runs" VALUES(2,'c292aca4','c292aca4eb9e16d5daea3f7d3270b4b6',1,'duel','1','openai/two','openai/two',0,'bundled','96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e','127.0.0.1:18001','{"benchmark": "duel", "version": "1", "pack": "96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e", "prompts": {"ask": "f7a246bf7646d766eb51ebe625c1cd3f", "judge": "585a3af27779f91bdb398fe978c2684c", "pair": "9183303d70106c9fa0361ab394607587"}, "model": "openai/two", "endpoint": "http://127.0.0.1:18001/v1", "sampling": {"temperature": 0.5}, "system": null, "name": null, "options": {"tone": "plainly"}, "all_options": {"tone": "plainly", "reader": "plain"}, "dataset": null, "notes": {}, "versions": {"python": "3.11.7", "eibench": "0.1.0", "openai": "2.54.0", "anthropic": "2.11.0", "litellm": "1.106.2", "numpy": "2.4.6"}}','2026-11-22T06:28:09.127+00:00','2026-11-22T06:28:09.394+00:00','complete',2.40292307000345317646e-01,'{"run_id":"c292aca4","benchmark":"duel","benchmark_version":"1","status":"complete","demo":false,"imported":null,"model":"openai/two","name":"openai/two","endpoint":"127.0.0.1:18001","judge":"openai/judge","judge_endpoint":"127.0.0.1:18001","options":{"tone":"plainly","reader":"plain"},"sampling":{"temperature":0.5},"not_sent":[],"dataset":{"name":"bundled","sha256":"96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e","n_items":3},"iterations":1,"comparability":"duel v1; pack bundled (96055ddc4637); tone plainly; reader plain; judge openai/judge at 127.0.0.1:18001; beside nothing","metrics":{"warmth":{"value":6.666666666666667,"ci95":null,"n":3,"higher_is_better":true}},"metric_labels":{"warmth":["",""]},"metric_groups":{},"invalid":null,"notes":{"rating":{"engine":"glicko2","anchors":[],"diagnostics":{"comparisons":6,"items":3,"families":3,"components":[["openai/one","openai/two"]],"waiting":0,"newton_steps":1,"last_step":0.0,"further_period":0.0,"volatility":{"openai/one":0.05999749845532118,"openai/two":0.05999749845532118},"groups":[["openai/one"],["openai/two"]]},"stopped":{"kind":"exhausted","told":"everything there is has been compared; run more iterations","of":"9058966466936742023a43c4fc2d42b1"}}},"baselines":{},"items":{"total":3,"scored":3,"unscored":0,"failed":0,"truncated":0,"pending":0},"unscored":[],"failed":[],"flags":{},"calls":{"model":3,"judge":9,"replayed":0,"retries":0},"tokens":{"input":144,"cached":0,"output":21,"reasoning":0},"cost_usd":0,"elapsed_s":0.24,"comparisons":{"total":6,"read":6,"unread":0,"planned":0,"opponents":["openai/one"]},"ratings":[{"model":"openai/one","rating":1500.0,"rd":174.0547680949094,"ci95":null,"rank":1,"rank_ci95":null,"tied_with":null,"comparisons":6},{"model":"openai/two","rating":1500.0,"rd":174.0547680949094,"ci95":null,"rank":1,"rank_ci95":null,"tied_with":null,"comparisons":6}],"warnings":["the scale is not anchored (centre 1500): no anchors are given","no intervals: they need 8 families of items, here are 3"]}');
INSERT INTO "runs" VALUES(3,'3c204225','3c204225a8f3babb4e1a5ceffe98f96d',1,'duel','1','openai/three','openai/three',0,'bundled','96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e','127.0.0.1:18002','{"benchmark": "duel", "version": "1", "pack": "96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e", "prompts": {"ask": "f7a246bf7646d766eb51ebe625c1cd3f", "judge": "585a3af27779f91bdb398fe978c2684c", "pair": "9183303d70106c9fa0361ab394607587"}, "model": "openai/three", "endpoint": "http://127.0.0.1:18002/v1", "sampling": {"temperature": 0.5}, "system": null, "name": null, "options": {"tone": "plainly"}, "all_options": {"tone": "plainly", "reader": "plain"}, "dataset": null, "notes": {}, "versions": {"python": "3.11.7", "eibench": "0.1.0", "openai": "2.54.0", "anthropic": "2.11.0", "litellm": "1.106.2", "numpy": "2.4.6"}}','2026-11-22T06:28:09.442+00:00','2026-11-22T06:28:09.700+00:00','complete',2.3955277100048988359e-01,'{"run_id":"3c204225","benchmark":"duel","benchmark_version":"1","status":"complete","demo":false,"imported":null,"model":"openai/three","name":"openai/three","endpoint":"127.0.0.1:18002","judge":"openai/judge","judge_endpoint":"127.0.0.1:18002","options":{"tone":"plainly","reader":"plain"},"sampling":{"temperature":0.5},"not_sent":[],"dataset":{"name":"bundled","sha256":"96055ddc46378aca16d5ab6d686f0233b8ef7e97d3494877f74c264d3c7abe9e","n_items":3},"iterations":1,"comparability":"duel v1; pack bundled (96055ddc4637); tone plainly; reader plain; judge openai/judge at 127.0.0.1:18002; beside nothing","metrics":{"warmth":{"value":6.333333333333333,"ci95":null,"n":3,"higher_is_better":true}},"metric_labels":{"warmth":["",""]},"metric_groups":{},"invalid":null,"notes":{"rating":{"engine":"glicko2","anchors":[],"diagnostics":{"comparisons":12,"items":3,"families":3,"components":[["openai/one","openai/three","openai/two"]],"waiting":0,"newton_steps":1,"last_step":0.0,"further_period":0.0,"volatility":{"openai/one":0.05999749845532118,"openai/three":0.05999714587669492,"openai/two":0.05999749845532118},"groups":[["openai/one"],["openai/three"],["openai/two"]]},"stopped":{"kind":"exhausted","told":"everything there is has been compared; run more iterations","of":"de0dac8f57b365086f7dca5ff733d903"}}},"baselines":{},"items":{"total":3,"scored":3,"unscored":0,"failed":0,"truncated":0,"pending":0},"unscored":[],"failed":[],"flags":{},"calls":{"model":3,"judge":15,"replayed":0,"retries":0},"tokens":{"input":234,"cached":0,"output":27,"reasoning":0},"cost_usd":0,"elapsed_s":0.24,"comparisons":{"total":12,"read":12,"unread":0,"planned":0,"opponents":["openai/one","openai/two"]},"ratings":[{"model":"openai/one","rating":1500.0,"rd":174.0547680949094,"ci95":null,"rank":1,"rank_ci95":null,"tied_with":null,"comparisons":6},{"model":"openai/three","rating":1500.0,"rd":131.46368626932497,"ci95":null,"rank":1,"rank_ci95":null,"tied_with":null,"comparisons":12},{"model":"openai/two","rating":1500.0,"rd":174.0547680949094,"ci95":null,"rank":1,"rank_ci95":null,"tied_with":null,"comparisons":6}],"warnings":["the scale is not anchored (centre 1500): no anchors are given","no intervals: they need 8 families of items, here are 3"]}');
CREATE INDEX runs_by_identity ON runs (identity, ordinal);
CREATE UNIQUE INDEX calls_by_key
        ON calls (run, item_id, iteration, phase, digest, occurrence);
CREATE INDEX comparisons_by_pool ON comparisons (pool);
COMMIT;
