"""What jobs do to old files: each row is a piece of Python, and what the job sees afterwards.

Each piece runs in a folder with the files of FILES. Its second column is {path: content}, where
None is a path that is not there, and a tuple the names in a folder. The folder itself has to stay
as it was, except for new files.
"""

FILES = {
    "best.pt": "weights",
    "history.csv": "1,2\n",
    "state.json": "{}",
    "runs/exp1/best.pkl": "best",
    "runs/exp1/events": "events",
    "runs/exp1/deep/er/log.txt": "log",
    "locked.txt": "locked",
}
FOLDERS = ("empty",)
LINKS = {"latest": "best.pt", "last": "runs/exp1"}
MODES = {"locked.txt": 0o444, "state.json": 0o640}

EXP1 = ("best.pkl", "deep", "events")
GONE = {"runs/exp1": None, "runs/exp1/best.pkl": None, "runs": ()}
NEW_EXP1 = {"runs/exp1": ("new",), "runs/exp1/new": "n", "runs/exp1/best.pkl": None}

OPERATIONS = {
    # open
    "open w": ("open('best.pt', 'w').write('x')", {"best.pt": "x", "latest": "x"}),
    "open wb": ("open('best.pt', 'wb').write(b'x')", {"best.pt": "x"}),
    "open a": ("open('history.csv', 'a').write('3,4')", {"history.csv": "1,2\n3,4"}),
    "open ab twice": (
        "for row in (b'3', b'4'):\n  with open('history.csv', 'ab') as file: file.write(row)",
        {"history.csv": "1,2\n34"},
    ),
    "open r+": ("open('history.csv', 'r+').write('9')", {"history.csv": "9,2\n"}),
    "open rb+": ("open('history.csv', 'rb+').write(b'9')", {"history.csv": "9,2\n"}),
    "open w+": ("open('best.pt', 'w+').write('x')", {"best.pt": "x"}),
    "open a+": ("open('best.pt', 'a+').write('x')", {"best.pt": "weightsx"}),
    "open x": ("raises(FileExistsError, open, 'best.pt', 'x')", {"best.pt": "weights"}),
    "open x after remove": (
        "os.remove('best.pt'); open('best.pt', 'x').write('x')",
        {"best.pt": "x", "latest": "x"},
    ),
    "open bytes": ("open(b'best.pt', 'wb').write(b'x')", {"best.pt": "x"}),
    "open a Path": ("open(pathlib.Path('best.pt'), 'w').write('x')", {"best.pt": "x"}),
    "open unbuffered": ("open('best.pt', 'wb', 0).write(b'x')", {"best.pt": "x"}),
    "open and its name": (
        "f = open('best.pt', 'w'); assert f.name == 'best.pt', f.name; f.close()",
        {"best.pt": ""},
    ),
    "open through a link": ("open('latest', 'w').write('x')", {"best.pt": "x", "latest": "x"}),
    "open below a link": ("open('last/best.pkl', 'w').write('x')", {"runs/exp1/best.pkl": "x"}),
    "open by an absolute path": (
        "open(os.path.abspath('best.pt'), 'w').write('x')",
        {"best.pt": "x"},
    ),
    "open with ..": ("open('runs/../best.pt', 'w').write('x')", {"best.pt": "x"}),
    "no path": (
        "os.remove('best.pt'); raises(FileNotFoundError, open, '', 'w')\n"
        "assert not os.path.exists('')",
        {"best.pt": None},
    ),
    "a missing folder": (
        "shutil.rmtree('runs'); raises(FileNotFoundError, open, 'runs/x', 'w')\n"
        "raises(FileNotFoundError, os.mkdir, 'runs/exp1/x')",
        {"runs": None},
    ),
    "an error names the job's path": (
        "os.remove('best.pt')\n"
        "try: open('best.pt')\n"
        "except FileNotFoundError as error: assert error.filename == 'best.pt', error",
        {"best.pt": None},
    ),
    "io.open": ("io.open('best.pt', 'w').write('x')", {"best.pt": "x"}),
    "io.FileIO": (
        "f = io.FileIO('best.pt', 'w'); f.write(b'x'); f.close(); assert f.name == 'best.pt'",
        {"best.pt": "x"},
    ),
    "codecs.open": ("codecs.open('best.pt', 'w', 'utf-8').write('x')", {"best.pt": "x"}),
    "gzip.open": ("gzip.open('best.pt', 'wb').close()", {"history.csv": "1,2\n"}),
    "an open file and fchmod": (
        "f = open('best.pt'); os.fchmod(f.fileno(), 0o600)\n"
        "assert os.stat('best.pt').st_mode & 0o777 == 0o600",
        {"best.pt": "weights"},
    ),
    "os.open": (
        "fd = os.open('best.pt', os.O_WRONLY | os.O_TRUNC); os.write(fd, b'x'); os.close(fd)",
        {"best.pt": "x"},
    ),
    "os.open to append": (
        "fd = os.open('best.pt', os.O_WRONLY | os.O_APPEND); os.write(fd, b'x'); os.close(fd)",
        {"best.pt": "weightsx"},
    ),
    "os.open to create": (
        "os.close(os.open('best.pt', os.O_RDWR | os.O_CREAT))",
        {"best.pt": "weights"},
    ),
    "os.open in a folder": (
        "d = os.open('runs/exp1', os.O_RDONLY)\n"
        "fd = os.open('best.pkl', os.O_WRONLY | os.O_TRUNC, dir_fd=d); os.close(fd); os.close(d)",
        {"runs/exp1/best.pkl": ""},
    ),
    "os.fdopen": (
        "with os.fdopen(os.open('best.pt', os.O_RDWR), 'r+') as f: f.write('X')",
        {"best.pt": "Xeights"},
    ),
    "open by a descriptor's path": (
        "f = open('best.pt'); open(f'/dev/fd/{f.fileno()}', 'w').write('x'); f.close()",
        {"best.pt": "x"},
    ),
    "os.truncate by a descriptor's path": (
        "f = open('best.pt'); os.truncate(f'/proc/self/fd/{f.fileno()}', 3); f.close()",
        {"best.pt": "wei"},
    ),
    "open in a working folder's path": (
        "open('/proc/self/cwd/best.pt', 'w').write('x')",
        {"best.pt": "x"},
    ),
    "open by the path of a pipe": (
        "r, w = os.pipe(); open(f'/dev/fd/{w}', 'wb', 0).write(b'x')\n"
        "assert os.read(r, 9) == b'x'; os.close(r); os.close(w)",
        {},
    ),
    "mmap": (
        "with open('best.pt', 'r+b') as f, mmap.mmap(f.fileno(), 0) as m: m[0:1] = b'W'",
        {"best.pt": "Weights"},
    ),
    # one path
    "os.remove": (
        "os.remove('best.pt'); assert 'best.pt' not in os.listdir('.')",
        {"best.pt": None, "latest": None},
    ),
    "os.remove twice": (
        "os.remove('best.pt'); raises(FileNotFoundError, os.remove, 'best.pt')",
        {"best.pt": None},
    ),
    "os.unlink bytes": ("os.unlink(b'best.pt')", {"best.pt": None}),
    "os.unlink in a folder": (
        "d = os.open('runs/exp1', os.O_RDONLY); os.unlink('events', dir_fd=d); os.close(d)",
        {"runs/exp1": ("best.pkl", "deep")},
    ),
    "os.remove a link": ("os.remove('latest')", {"latest": None, "best.pt": "weights"}),
    "os.remove a folder": ("raises(IsADirectoryError, os.remove, 'runs')", {"runs": ("exp1",)}),
    "os.rmdir": ("os.rmdir('empty')", {"empty": None}),
    "os.rmdir and mkdir": ("os.rmdir('empty'); os.mkdir('empty')", {"empty": ()}),
    "os.rmdir of a full one": ("raises(OSError, os.rmdir, 'runs')", {"runs": ("exp1",)}),
    "os.removedirs": (
        "os.remove('runs/exp1/deep/er/log.txt'); os.removedirs('runs/exp1/deep/er')",
        {"runs/exp1": ("best.pkl", "events")},
    ),
    "os.mkdir": ("raises(FileExistsError, os.mkdir, 'runs')", {"runs": ("exp1",)}),
    "os.makedirs": ("os.makedirs('runs/exp1', exist_ok=True)", {"runs/exp1": EXP1}),
    "os.truncate": ("os.truncate('best.pt', 3)", {"best.pt": "wei"}),
    "os.truncate an open file": (
        "with open('best.pt', 'r+') as f: os.truncate(f.fileno(), 3)",
        {"best.pt": "wei"},
    ),
    "os.chmod": (
        "os.chmod('best.pt', 0o600); assert os.stat('best.pt').st_mode & 0o777 == 0o600",
        {"best.pt": "weights"},
    ),
    "os.chmod a folder": (
        "os.chmod('runs', 0o700); assert os.stat('runs').st_mode & 0o777 == 0o700",
        {"runs": ("exp1",), "runs/exp1": EXP1},
    ),
    "os.chmod and remove": ("os.chmod('best.pt', 0o600); os.remove('best.pt')", {"best.pt": None}),
    "os.utime": (
        "os.utime('best.pt', (1, 1)); assert os.path.getmtime('best.pt') == 1",
        {"best.pt": "weights"},
    ),
    "os.utime of a link": (
        "os.utime('latest', (1, 1), follow_symlinks=False)\n"
        "assert os.lstat('latest').st_mtime == 1 != os.stat('latest').st_mtime",
        {"latest": "weights"},
    ),
    "os.chown": ("os.chown('best.pt', os.getuid(), -1)", {"best.pt": "weights"}),
    "os.chdir": (
        "shutil.rmtree('runs'); os.makedirs('runs/exp1'); before = os.getcwd(); os.chdir('runs')\n"
        "assert os.getcwd() == before + '/runs'; open('exp1/new', 'w').write('n')\n"
        "os.chdir(before)",
        NEW_EXP1,
    ),
    # two paths
    "os.replace": (
        "open('state.tmp', 'w').write('new'); os.replace('state.tmp', 'state.json')",
        {"state.json": "new", "state.tmp": None},
    ),
    "os.rename": (
        "os.rename('best.pt', 'second.pt')",
        {"best.pt": None, "second.pt": "weights", "latest": None},
    ),
    "os.rename onto another": (
        "os.rename('best.pt', 'state.json')",
        {"best.pt": None, "state.json": "weights"},
    ),
    "os.rename bytes": ("os.rename(b'best.pt', b'b.pt')", {"best.pt": None, "b.pt": "weights"}),
    "os.rename in a folder": (
        "d = os.open('runs/exp1', os.O_RDONLY)\n"
        "os.rename('events', 'old', src_dir_fd=d, dst_dir_fd=d); os.close(d)",
        {"runs/exp1": ("best.pkl", "deep", "old"), "runs/exp1/old": "events"},
    ),
    "os.rename a folder": (
        "os.rename('runs/exp1', 'runs/exp2')",
        {"runs": ("exp2",), "runs/exp2": EXP1, "runs/exp2/deep/er/log.txt": "log", "last": None},
    ),
    "os.rename a changed folder": (
        "open('runs/exp1/events', 'a').write('!'); os.remove('runs/exp1/best.pkl')\n"
        "os.rename('runs/exp1', 'runs/exp2')",
        {"runs": ("exp2",), "runs/exp2": ("deep", "events"), "runs/exp2/events": "events!"},
    ),
    "os.rename a new folder onto an old one": (
        "os.mkdir('new'); open('new/new', 'w').write('n'); shutil.rmtree('runs/exp1')\n"
        "os.rename('new', 'runs/exp1')",
        {**NEW_EXP1, "new": None},
    ),
    "os.rename a folder, and its file": (
        "os.rename('runs', 'runs.bak'); os.rename('runs.bak/exp1/best.pkl', 'best.pkl')\n"
        "os.makedirs('runs/exp1'); open('runs/exp1/new', 'w').write('n')",
        {**NEW_EXP1, "runs.bak/exp1": ("deep", "events"), "best.pkl": "best"},
    ),
    "os.rename onto a full folder": (
        "os.mkdir('new'); raises(OSError, os.rename, 'new', 'runs'); os.rmdir('new')",
        {"runs": ("exp1",)},
    ),
    "os.renames": (
        "os.renames('runs/exp1/deep/er/log.txt', 'log.txt')",
        {"runs/exp1": ("best.pkl", "events"), "log.txt": "log"},
    ),
    "os.link": (
        "os.link('best.pt', 'best-3.pt'); os.remove('best.pt')",
        {"best.pt": None, "best-3.pt": "weights"},
    ),
    "os.link and open": (
        "os.link('best.pt', 'best-3.pt'); open('best-3.pt', 'w').write('x')",
        {"best.pt": "x", "best-3.pt": "x"},
    ),
    "os.link onto another": (
        "raises(FileExistsError, os.link, 'best.pt', 'state.json')",
        {"state.json": "{}"},
    ),
    "os.symlink in a link's place": (
        "os.symlink('state.json', 'l.tmp'); os.replace('l.tmp', 'latest')\n"
        "assert os.readlink('latest') == 'state.json'",
        {"latest": "{}", "best.pt": "weights"},
    ),
    "os.symlink to another folder": (
        "os.remove('last'); os.mkdir('runs/exp2'); os.symlink('runs/exp2', 'last')\n"
        "open('last/new', 'w').write('n')",
        {"last": ("new",), "runs/exp2/new": "n", "runs/exp1": EXP1},
    ),
    # shutil
    "shutil.rmtree": ("shutil.rmtree('runs/exp1')", GONE),
    "shutil.rmtree a Path": ("shutil.rmtree(pathlib.Path('runs/exp1'))", GONE),
    "shutil.rmtree and begin anew": (
        "shutil.rmtree('runs/exp1'); os.makedirs('runs/exp1')\n"
        "open('runs/exp1/new', 'w').write('n')",
        NEW_EXP1,
    ),
    "shutil.rmtree twice": (
        "for n in range(2): shutil.rmtree('runs/exp1'); os.makedirs('runs/exp1')",
        {"runs/exp1": ()},
    ),
    "shutil.move": ("shutil.move('best.pt', 'runs')", {"best.pt": None, "runs/best.pt": "weights"}),
    "shutil.move a folder": (
        "shutil.move('runs/exp1', 'kept')",
        {"runs": (), "kept": EXP1, "kept/best.pkl": "best"},
    ),
    "shutil.copy": ("shutil.copy('best.pt', 'state.json')", {"state.json": "weights"}),
    "shutil.copy2": ("shutil.copy2('best.pt', 'history.csv')", {"history.csv": "weights"}),
    "shutil.copyfile": ("shutil.copyfile('best.pt', 'state.json')", {"state.json": "weights"}),
    "shutil.copytree": (
        "shutil.copytree('runs', 'empty', dirs_exist_ok=True)",
        {"empty": ("exp1",), "empty/exp1/best.pkl": "best"},
    ),
    "shutil.copystat": ("shutil.copystat('locked.txt', 'best.pt')", {"best.pt": "weights"}),
    # pathlib and tempfile
    "Path.write_text": ("pathlib.Path('best.pt').write_text('x')", {"best.pt": "x"}),
    "Path.write_bytes": ("pathlib.Path('best.pt').write_bytes(b'x')", {"best.pt": "x"}),
    "Path.open": ("pathlib.Path('best.pt').open('a').write('x')", {"best.pt": "weightsx"}),
    "Path.unlink": ("pathlib.Path('best.pt').unlink()", {"best.pt": None}),
    "Path.rename": (
        "pathlib.Path('best.pt').rename('b.pt')",
        {"best.pt": None, "b.pt": "weights"},
    ),
    "Path.replace": (
        "pathlib.Path('best.pt').replace('state.json')",
        {"best.pt": None, "state.json": "weights"},
    ),
    "Path.touch": ("pathlib.Path('best.pt').touch()", {"best.pt": "weights"}),
    "Path.chmod": ("pathlib.Path('best.pt').chmod(0o600)", {"best.pt": "weights"}),
    "Path.rmdir": ("pathlib.Path('empty').rmdir()", {"empty": None}),
    "Path.mkdir": ("pathlib.Path('runs').mkdir(exist_ok=True)", {"runs": ("exp1",)}),
    "Path.symlink_to": (
        "raises(FileExistsError, pathlib.Path('latest').symlink_to, 'x')",
        {"latest": "weights"},
    ),
    "Path.glob after changes": (
        "os.remove('runs/exp1/events'); open('runs/exp1/new', 'w').close()\n"
        "found = sorted(path.name for path in pathlib.Path('runs/exp1').glob('*'))\n"
        "assert found == ['best.pkl', 'deep', 'new'], found",
        {"runs/exp1": ("best.pkl", "deep", "new")},
    ),
    "os.walk after changes": (
        "shutil.rmtree('runs/exp1/deep'); open('runs/exp1/best.pkl', 'a').close()\n"
        "found = [sorted(names) for _, _, names in os.walk('runs')]\n"
        "assert found == [[], ['best.pkl', 'events']], found",
        {"runs/exp1": ("best.pkl", "events")},
    ),
    "os.scandir by an open folder": (
        "os.remove('runs/exp1/events'); d = os.open('runs/exp1', os.O_RDONLY)\n"
        "with os.scandir(d) as entries: assert sorted(of.name for of in entries) == ['best.pkl', "
        "'deep']\nos.close(d)",
        {"runs/exp1": ("best.pkl", "deep")},
    ),
    "tempfile and os.replace": (
        "with tempfile.NamedTemporaryFile('w', dir='.', delete=False) as f: f.write('new')\n"
        "os.replace(f.name, 'state.json')",
        {"state.json": "new"},
    ),
    "a temporary folder": (
        "with tempfile.TemporaryDirectory(dir='runs') as d: open(d + '/x', 'w').close()",
        {"runs": ("exp1",)},
    ),
    "a log": (
        "log = logging.FileHandler('history.csv'); log.emit(logging.makeLogRecord({'msg': 'x'}))\n"
        "log.close()",
        {"history.csv": "1,2\nx\n"},
    ),
    "a rotating log": (
        "log = logging.handlers.RotatingFileHandler('history.csv', backupCount=1)\n"
        "log.doRollover(); log.close()",
        {"history.csv": "", "history.csv.1": "1,2\n"},
    ),
    "fileinput": (
        "for line in fileinput.input('history.csv', inplace=True): print('x', end='')",
        {"history.csv": "x"},
    ),
    "a pickle": (
        "pickle.dump([1], open('runs/exp1/best.pkl', 'wb'))\n"
        "assert pickle.load(open('runs/exp1/best.pkl', 'rb')) == [1]",
        {"runs/exp1": EXP1},
    ),
    "a zip file": (
        "with zipfile.ZipFile('best.pt', 'w') as z: z.writestr('a', 'b')\n"
        "assert zipfile.ZipFile('best.pt').namelist() == ['a']",
        {},
    ),
    "a signal's handler in the middle of a copy": (
        "def save(*_): open('best.pt', 'w').write('x')\n"
        "before, ask = signal.signal(signal.SIGUSR1, save), ['shutil.copyfile']\n"
        "def send(event, _):\n"
        "  if event in ask: ask.clear(); os.kill(os.getpid(), signal.SIGUSR1)\n"
        "sys.addaudithook(send)\n"
        "open('history.csv', 'a').write('3,4')\n"
        "assert not ask or not os.environ['SEQPOINT_HOOK']\n"
        "if ask: ask.clear(); save()\n"
        "signal.signal(signal.SIGUSR1, before)",
        {"best.pt": "x", "history.csv": "1,2\n3,4"},
    ),
}
