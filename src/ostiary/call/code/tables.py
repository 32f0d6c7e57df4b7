"""Well-known calls of six languages, and the role of each of their arguments (those of `programs`, and a few more).

`open` is a path whose next argument says how it is opened, `list-or-text` a program given as a list or as shell text,
`dynamic` code that is only known when it runs, `method:ROLE` a method whose object is the path.
"""

from __future__ import annotations

from typing import Final


def _calls(*groups: tuple[str, str]) -> dict[str, str]:
    """Roles of the arguments by call, from pairs of roles and the calls that have them."""
    return {name: roles for roles, names in groups for name in names.split()}


_PYTHON: Final = _calls(
    ("open", "open io.open codecs.open gzip.open bz2.open lzma.open os.open tarfile.open"),
    ("delete", "os.remove os.unlink os.rmdir os.removedirs shutil.rmtree send2trash.send2trash"),
    ("write", "os.mkdir os.makedirs os.chmod os.chown os.truncate os.mkfifo os.utime"),
    ("read", "os.listdir os.scandir os.walk os.readlink linecache.getlines fileinput.input"),
    ("move write", "os.rename os.renames os.replace shutil.move"),
    ("read write", "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree os.symlink os.link"),
    ("command", "os.system os.popen subprocess.getoutput subprocess.getstatusoutput"),
    ("command", "asyncio.create_subprocess_shell"),
    ("list-or-text", "subprocess.run subprocess.call subprocess.Popen subprocess.check_call subprocess.check_output"),
    ("list-or-text", "pty.spawn asyncio.create_subprocess_exec"),
    ("url", "requests.get requests.post requests.put requests.patch requests.delete requests.head"),
    ("url", "httpx.get httpx.post httpx.put httpx.delete httpx.head"),
    ("url", "urllib.request.urlopen urllib.request.Request urllib.request.urlretrieve"),
    ("data url", "requests.request httpx.request"),
    ("host", "http.client.HTTPConnection http.client.HTTPSConnection smtplib.SMTP ftplib.FTP"),
    ("host", "socket.create_connection"),
    ("dynamic", "eval exec compile __import__ importlib.import_module pickle.loads marshal.loads ctypes.CDLL"),
    ("dynamic", "os.execv os.execve os.execvp os.execl os.execlp os.spawnl os.spawnv os.posix_spawn"),
    ("dynamic", "os.execle os.execlpe os.execvpe os.spawnle os.spawnlp os.spawnlpe os.spawnve os.spawnvp os.spawnvpe"),
    ("dynamic", "os.posix_spawnp"),
    ("dynamic", "types.FunctionType code.interact runpy.run_module"),
    ("run", "runpy.run_path os.startfile"),
    ("method:read", ".read_text .read_bytes .iterdir .open"),
    ("method:write", ".write_text .write_bytes .touch .symlink_to .hardlink_to"),
    ("method:delete", ".unlink .rmdir"),
)

_NODE: Final = _calls(
    ("read", ".readFileSync .readFile .createReadStream .readdirSync .readdir .readlinkSync .opendirSync"),
    ("read", "readFileSync readFile createReadStream readdirSync Bun.file"),
    ("read", "Deno.readTextFileSync Deno.readTextFile Deno.readFile"),
    ("write", ".writeFileSync .writeFile .appendFileSync .appendFile .createWriteStream .mkdirSync .truncateSync"),
    ("write", ".chmodSync writeFileSync writeFile appendFileSync appendFile createWriteStream mkdirSync"),
    ("write", "Bun.write Deno.writeTextFileSync Deno.writeTextFile Deno.writeFile"),
    ("delete", ".unlinkSync .unlink .rmSync .rmdirSync .rm .rmdir unlinkSync rmSync rmdirSync"),
    ("delete", "Deno.remove Deno.removeSync"),
    ("read write", ".copyFileSync .copyFile .cpSync .symlinkSync .linkSync copyFileSync cpSync"),
    ("move write", ".renameSync .rename renameSync"),
    ("open", ".openSync openSync fs.open"),
    ("command", ".execSync execSync child_process.exec cp.exec exec"),
    ("list-or-text", ".spawnSync .execFileSync .spawn .execFile .fork spawnSync spawn execFile execFileSync fork"),
    ("list-or-text", "Bun.spawn Bun.spawnSync Deno.Command"),
    ("url", "fetch axios axios.get axios.post axios.put axios.delete http.get https.get http.request https.request"),
    ("url", "WebSocket EventSource"),
    ("dynamic", "eval Function vm.runInNewContext vm.runInThisContext process.binding process.dlopen"),
    ("module", "import require"),
)

_RUBY: Final = _calls(
    ("read", "File.read IO.read File.binread IO.binread File.readlines File.foreach IO.readlines Dir.entries Dir.glob"),
    ("open", "File.open open File.new"),
    ("write", "File.write IO.write FileUtils.mkdir_p FileUtils.touch Dir.mkdir FileUtils.mkdir"),
    ("delete", "File.delete File.unlink FileUtils.rm FileUtils.rm_rf FileUtils.rm_r Dir.rmdir"),
    ("read write", "FileUtils.cp FileUtils.cp_r FileUtils.ln_s FileUtils.copy"),
    ("move write", "FileUtils.mv File.rename"),
    ("list-or-text", "system exec spawn Kernel.system Kernel.exec Kernel.spawn Process.spawn Process.exec PTY.spawn"),
    ("list-or-text", "Open3.capture2 Open3.capture3 Open3.capture2e Open3.popen2 Open3.popen2e Open3.popen3 IO.popen"),
    ("url", "URI.open Net::HTTP.get URI"),
    ("host", "TCPSocket.new"),
    ("run", "load require_relative"),
    ("dynamic", "%x method eval instance_eval class_eval send public_send Marshal.load const_get syscall"),
)

_PERL: Final = _calls(
    ("perl-open", "open"),
    ("read", "opendir readlink"),
    ("delete", "unlink rmdir rmtree remove_tree"),
    ("write", "mkdir chmod truncate mkpath make_path"),
    ("move write", "rename move"),
    ("read write", "copy symlink link"),
    ("list-or-text", "system exec"),
    ("run", "do"),
    ("dynamic", "qx readpipe eval syscall evalbytes open2 open3"),
    ("url", "get"),
)

_PHP: Final = _calls(
    ("location", "file_get_contents readfile file"),
    ("read", "scandir opendir highlight_file show_source parse_ini_file"),
    ("write", "file_put_contents mkdir touch chmod chown"),
    ("delete", "unlink rmdir"),
    ("read write", "copy symlink link"),
    ("move write", "rename"),
    ("open", "fopen"),
    ("command", "system exec shell_exec passthru popen proc_open pcntl_exec"),
    ("url", "curl_init"),
    ("host", "fsockopen stream_socket_client"),
    ("source", "include include_once require require_once"),
    ("dynamic", "eval assert create_function call_user_func call_user_func_array"),
)

_LUA: Final = _calls(
    ("open", "io.open"),
    ("read", "io.lines"),
    ("delete", "os.remove"),
    ("move write", "os.rename"),
    ("command", "os.execute io.popen"),
    ("run", "dofile loadfile"),
    ("dynamic", "load loadstring package.loadlib"),
)

ARGUMENT_TEXT: Final = frozenset(
    (
        *("print", "log", "info", "debug", "warn", "error", "puts", "echo", "printf", "say", "p", "pprint", "write"),
        *("dumps", "stringify", "format", "len", "repr", "split", "rsplit", "replace", "strip", "lstrip", "rstrip"),
        *("startswith", "endswith", "startsWith", "endsWith", "includes", "indexOf", "index", "find", "count", "match"),
        *("search", "sub", "gsub", "test", "compile", "exists", "isfile", "isdir", "is_file", "is_dir", "existsSync"),
        *("file_exists", "basename", "dirname", "extname", "splitext", "append", "push", "add", "assert", "Error"),
        *("RuntimeError", "ValueError", "Exception", "assertEqual", "describe", "it", "expect", "namedtuple", "exit"),
        *("getenv", "print_r", "var_dump", "strpos", "strlen", "explode", "implode", "str_replace", "preg_match"),
        *("if", "while", "for", "elif", "return", "and", "or", "not", "in", "switch", "foreach", "unless", "qw", "my"),
    )
)
"""Calls that take a text as a text, whatever it reads like."""

TRANSPARENT: Final = frozenset(
    (
        "Path",
        "PurePath",
        "str",
        "join",
        "resolve",
        "String",
        "bytes",
        "expanduser",
        "abspath",
        "realpath",
        "URL",
        "normalize",
    )
)
"""Calls that give back the path or text they are given, for the call around them."""

CALLS: Final[dict[str, dict[str, str]]] = {
    "python": _PYTHON,
    "node": _NODE,
    "ruby": _RUBY,
    "perl": _PERL,
    "php": _PHP,
    "lua": _LUA,
}

BARE: Final = frozenset({"ruby", "perl", "php"})
"""Languages in which a call needs no parentheses: `unlink "x"`."""

KEYWORDS: Final = frozenset(
    ("if", "unless", "and", "or", "do", "then", "end", "while", "until", "rescue", "in", "x", "eq", "ne", "not", "as")
)
"""Words that begin no argument of such a call."""

REFLECTED: Final = frozenset({"os", "subprocess", "shutil", "builtins", "__builtins__", "socket", "pathlib", "posix"})
"""Python modules of which `getattr` gives something to call."""
