"""Places, roots, rule files, stores and facts: what is read from the disk, and what is refused."""

from __future__ import annotations

import hashlib
import marshal
import os
import pwd
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ostiary.facts import SCRIPT_BYTES, FactRequest
from ostiary.policy import FilePlan, IncludePlan, RulePlan
from ostiary.problems import Problem
from ostiary.sources import account, cache, git, lastgood, machine, owners, store
from ostiary.sources.compiled import FORMAT, Compiled, pack, unpack
from ostiary.sources.discover import FOREIGN, Source, discover_own, discover_plugins, discover_projects
from ostiary.sources.files import Unreadable, exists, read
from ostiary.sources.includes import digest, pack_path, read_include, unchanged
from ostiary.sources.locks import locked
from ostiary.sources.places import LAYOUTS, Managed, NoPlace, Places, find_places, place
from ostiary.sources.private import read_private, write_private
from ostiary.sources.roots import Roots, find_roots
from ostiary.sources.worktrees import repository
from tables import read_table
from trees import plant, relative

if sys.platform == "win32":
    pytest.skip("modes, owners, links and FIFOs of POSIX", allow_module_level=True)

CASES = Path(__file__).parent / "cases" / "sources"
OURS = frozenset({0, os.geteuid()})


def table(name: str) -> list[Any]:
    rows = read_table(CASES / name)["cases"]
    return [pytest.param(row, id=row["note"]) for row in rows]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def below(base: Path, path: Any) -> Any:
    return str(base / path) if isinstance(path, str) and path and "\0" not in path else path


@pytest.mark.parametrize("row", table("roots.yaml"))
def test_roots(row: dict[str, Any], base: Path) -> None:
    plant(base, row["tree"])
    others = [other if other in ("x", "relative", "~") else below(base, other) for other in row.get("others", ())]
    roots = find_roots(below(base, row.get("start")), *others)
    assert {
        "start": relative(base, roots.start),
        "all": [relative(base, root) for root in roots.all],
        "folders": [
            [relative(base, folder.path.removesuffix("/.ostiary")), relative(base, folder.root), folder.reviewable]
            for folder in roots.folders
        ],
    } == row["want"]


@pytest.mark.parametrize("path", ["a/" * 3000, "/" + "a/" * 2000, "/" + "x" * 300])
def test_roots_of_endless_paths(path: str, base: Path) -> None:
    assert find_roots(str(base), path).start == str(base)


def here(base: Path) -> Places:
    return Places(
        managed=Managed(str(base / "managed"), OURS, top=str(base)),
        user=str(base / "user"),
        state=str(base / "state"),
        cache=str(base / "cache"),
        packs=str(base / "packs"),
    )


def shown(source: Source, base: Path) -> list[Any]:
    if source.problem:
        content: Any = {"problem": source.problem.message.replace(str(base), "BASE")}
    else:
        assert source.raw is not None
        content = source.raw.decode() if len(source.raw) < 5 else len(source.raw)
    return [source.tier, relative(base, source.label), content]


@pytest.mark.parametrize("row", table("discover.yaml"))
def test_discover(row: dict[str, Any], base: Path) -> None:
    plant(base, row["tree"])
    roots = find_roots(str(base / row.get("start", "project")), below(base, row.get("cwd")))
    found = [*discover_own(here(base)), *discover_projects(roots.folders), *discover_plugins(here(base))]
    assert [shown(source, base) for source in found] == row["want"]


def test_more_files_than_a_project_may_have(base: Path) -> None:
    plant(base, {f"project/.ostiary/policy.d/{number:03}.yaml": "x" for number in range(FOREIGN.files + 5)})
    found = discover_projects(find_roots(str(base / "project")).folders)
    assert len(found) == FOREIGN.files + 1
    assert [source.problem is not None for source in found] == [False] * FOREIGN.files + [True]


def test_more_plugins_than_a_user_may_have(base: Path) -> None:
    plant(base, {f"user/plugins/p{number:03}/policy.yaml": "x" for number in range(70)})
    found = discover_plugins(here(base))
    assert [source.problem is not None for source in found] == [False] * 64 + [True]


def test_a_folder_of_plugins_that_cannot_be_listed_is_broken(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"user/plugins": None})
    monkeypatch.setattr(os, "listdir", denied)
    (found,) = discover_plugins(here(base))
    assert found.problem is not None
    assert found.problem.message == "the folder cannot be read (permission denied)"


def test_a_file_that_goes_away_while_it_is_found_is_absent(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"user/policy.d/a.yaml": "x"})
    monkeypatch.setattr(os, "listdir", lambda path: ["gone.yaml"])
    assert discover_own(here(base)) == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_looked_at_is_broken(base: Path) -> None:
    plant(base, {"user/policy.d/a.yaml": "x", "user/policy.yaml": "x"})
    (base / "user" / "policy.d").chmod(0)
    (base / "user" / "policy.yaml").chmod(0)
    assert [source.problem is not None for source in discover_own(here(base))] == [True, True]
    (base / "user" / "policy.d").chmod(0o700)


def denied(*_: Any) -> Any:
    raise PermissionError(13, "Permission denied")


def test_a_folder_that_cannot_be_listed_is_broken(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"user": None})
    monkeypatch.setattr(os, "listdir", denied)
    found = discover_own(here(base))
    assert [source.holds for source in found] == ["rules", "programs", "tools"]
    assert {source.problem and source.problem.message for source in found} == {
        "the folder cannot be read (permission denied)"
    }


def test_a_name_that_cannot_be_looked_at_exists(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not exists(str(base / "gone"))
    assert not exists("a\0b")
    monkeypatch.setattr(os, "lstat", denied)
    assert exists(str(base / "gone"))


def test_what_becomes_another_file_between_look_and_open(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"a": "x", "pipe": {"fifo": True}})
    opened = os.open(base / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    monkeypatch.setattr(os, "open", lambda *_: opened)
    with pytest.raises(Unreadable, match="not a regular file"):
        read(str(base / "a"), 10)


def test_a_path_no_file_can_have() -> None:
    with pytest.raises(Unreadable, match="cannot be read"):
        read("a\0b", 10)


# Owners of the managed place


def managed(base: Path, owner_ids: frozenset[int] = OURS) -> Managed:
    return Managed(str(base / "m"), owner_ids, top=str(base))


def test_a_managed_place_in_order(base: Path) -> None:
    plant(base, {"m/policy.yaml": "x"})
    assert owners.wrong(managed(base), str(base / "m" / "policy.yaml")) == ""


@pytest.mark.parametrize("path", ["", "m", "m/policy.yaml"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_every_component_counts(path: str, mode: int, base: Path) -> None:
    plant(base, {"m/policy.yaml": "x"})
    (base / path).chmod((base / path).stat().st_mode | mode)
    reason = f"`{base / path}` can be written by users who are no administrators"
    assert owners.wrong(managed(base), str(base / "m" / "policy.yaml")) == reason


def test_a_foreign_owner(base: Path) -> None:
    plant(base, {"m/policy.yaml": "x"})
    reason = owners.wrong(managed(base, frozenset({os.geteuid() + 1})), str(base / "m"))
    assert reason == f"`{base}` belongs to user {os.geteuid()}, not to an administrator"


def test_both_ends_of_a_link_count(base: Path) -> None:
    plant(base, {"real/policy.yaml": "x", "m": {"link": "/hop"}, "hop": {"link": "real"}})
    assert owners.wrong(managed(base), str(base / "m" / "policy.yaml")) == ""
    (base / "real").chmod(0o777)
    assert "real` can be written" in owners.wrong(managed(base), str(base / "m" / "policy.yaml"))


def test_a_circle_of_links_ends(base: Path) -> None:
    plant(base, {"m": {"link": "/n"}, "n": {"link": "/m"}})
    assert owners.wrong(managed(base), str(base / "m")) == ""


def test_the_root_of_the_file_system_counts_too(base: Path) -> None:
    reason = owners.wrong(Managed("/etc/ostiary", frozenset({os.stat("/").st_uid + 1})), "/etc")
    assert reason.startswith("`/` belongs to user ")


def test_what_cannot_be_looked_at(base: Path) -> None:
    assert (
        owners.wrong(managed(base), str(base / "m"))
        == f"`{base / 'm'}` cannot be looked at (no such file or directory)"
    )


@pytest.mark.parametrize("name", ["managed", "managed/policy.yaml"])
def test_a_managed_place_that_fails_is_broken_not_absent(name: str, base: Path) -> None:
    plant(base, {"managed/policy.yaml": "x"})
    (base / name).chmod(0o777)
    found = discover_own(here(base))
    assert [relative(base, source.label) for source in found] == list(dict.fromkeys([name, "managed/policy.yaml"]))
    for source in found:
        assert source.raw is None
        assert source.problem
        assert source.problem.message == f"`{base / name}` can be written by users who are no administrators"


# Places


def test_places_of_a_layout(base: Path) -> None:
    found = place(LAYOUTS["linux"], {"home": "/home/dev"})
    assert (found.managed.path, found.user) == ("/etc/ostiary", "/home/dev/.config/ostiary")
    assert (found.state, found.cache) == ("/home/dev/.local/state/ostiary", "/home/dev/.cache/ostiary")
    assert found.managed.owners == {0}
    assert Path(found.packs).name == "policies"


def test_places_of_other_systems() -> None:
    mac = place(LAYOUTS["darwin"], {"home": "/Users/me"})
    assert mac.cache == "/Users/me/Library/Caches/ostiary"
    folders = {"home": "H", "roaming": "R", "local": "L", "programs": "P"}
    windows = place(LAYOUTS["win32"], folders)
    assert (windows.managed.path, windows.user) == ("P\\Ostiary\\policy", "R\\ostiary")
    assert (windows.state, windows.cache) == ("L\\ostiary", "L\\ostiary\\cache")


def test_a_config_dir_needs_no_home() -> None:
    found = place(LAYOUTS["linux"], {}, "/srv/o")
    assert (found.user, found.state, found.cache) == ("/srv/o", "/srv/o/state", "/srv/o/state/cache")
    assert found.managed.path == "/etc/ostiary"


def test_without_home_and_config_dir() -> None:
    message = "the user database tells no home folder for this user: name one with `--config-dir`"
    with pytest.raises(NoPlace, match=f"^{message}$"):
        place(LAYOUTS["linux"], {})


def test_places_come_from_the_user_database(monkeypatch: pytest.MonkeyPatch) -> None:
    before = find_places()
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "USERPROFILE", "APPDATA"):
        monkeypatch.setenv(name, "/tmp/chosen-by-a-project")
    assert find_places() == before


def test_an_installed_package_brings_its_packs(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"site/ostiary/policies": None, "site/ostiary/sources/places.py": ""})
    monkeypatch.setattr("ostiary.sources.places.__file__", str(base / "site/ostiary/sources/places.py"))
    assert place(LAYOUTS["linux"], {}, "/srv/o").packs == str(base / "site/ostiary/policies")


def test_accounts() -> None:
    entry = pwd.getpwuid(os.getuid())
    assert account.account() == (entry.pw_name, entry.pw_dir)
    assert account.home_of(entry.pw_name) == entry.pw_dir
    assert account.home_of("no such user") is None
    assert account.home_of("a\0b") is None


def test_a_home_must_be_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ("dev", "x", 1, 1, "", "", "/bin/sh")
    monkeypatch.setattr(pwd, "getpwuid", lambda _: pwd.struct_passwd(entry))
    assert account.account() is None


# Private files


def test_private_files(base: Path) -> None:
    path = str(base / "new" / "state" / "x")
    assert read_private(path, 10) is None
    write_private(path, b"one")
    write_private(path, b"two", durable=True)
    assert read_private(path, 10) == b"two"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert [stat.S_IMODE(os.stat(base / name).st_mode) for name in ("new", "new/state")] == [0o700, 0o700]
    assert os.listdir(base / "new" / "state") == ["x"]


@pytest.mark.parametrize("name", ["", "x"])
def test_files_others_can_write_are_not_private(name: str, base: Path) -> None:
    write_private(str(base / "s" / "x"), b"one")
    (base / "s" / name).chmod(0o722)
    with pytest.raises(Unreadable, match="can be written by other users"):
        read_private(str(base / "s" / "x"), 10)
    if not name:
        with pytest.raises(Unreadable, match="can be written by other users"):
            write_private(str(base / "s" / "x"), b"two")


def test_files_of_others_are_not_private(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_private(str(base / "x"), b"one")
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    with pytest.raises(Unreadable, match=f"belongs to user {uid}"):
        read_private(str(base / "x"), 10)


def test_a_private_file_that_cannot_be_looked_at(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "stat", denied)
    with pytest.raises(Unreadable, match="permission denied"):
        read_private(str(base / "x"), 10)


def test_a_failed_write_leaves_the_old_file(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(base / "x")
    write_private(path, b"one")
    monkeypatch.setattr(os, "replace", denied)
    with pytest.raises(PermissionError):
        write_private(path, b"two")
    assert os.listdir(base) == ["x"]
    assert Path(path).read_bytes() == b"one"


# Compiled plans: stored form, cache, last good

RULE = RulePlan("r", 3, ("PreToolUse",), ("always",), decision="deny")
PLAN = FilePlan(
    "p",
    "p.yaml",
    "d" * 64,
    "strictest",
    (RULE,),
    includes=(IncludePlan("git", FilePlan("g", "g", "e", "first", ()), (), True),),
)
GOOD = Compiled(PLAN, (Problem("p.yaml", 1, 2, "rules", "odd", severity="warning"),), (("/x", "1"),))
BAD = Compiled(None, (Problem("p.yaml", 4, 0, "", "broken"),), ())


@pytest.mark.parametrize("value", [GOOD, BAD])
def test_stored_form(value: Compiled) -> None:
    data = pack(value)
    assert unpack(data) == value
    assert unpack(data[:-1]) is None
    assert unpack(b"") is None
    assert all(
        unpack(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]) is None for place in range(len(data))
    )


@pytest.mark.parametrize(
    "value",
    [
        (0, None, (), (), None),
        (FORMAT,),
        "text",
        (FORMAT, ("too", "short"), (), (), None),
        (FORMAT, None, ((),), (), None),
    ],
)
def test_stored_form_of_another_version(value: Any) -> None:
    body = marshal.dumps(value)
    assert unpack(hashlib.sha256(body).digest() + body) is None


def source(base: Path, raw: bytes = b"version: 1", **fields: Any) -> Source:
    path = str(base / "user" / "policy.yaml")
    folder = str(base / "user")
    values = {"tier": "user", "path": path, "label": path, "folder": folder, "within": (), "limit": 100, "raw": raw}
    return Source(**{**values, **fields})


def test_cache(base: Path) -> None:
    name = cache.key(source(base))
    folder = str(base / "cache")
    assert cache.fetch(folder, name) is None
    cache.keep(folder, name, GOOD)
    assert cache.fetch(folder, name) == GOOD
    (base / "cache").chmod(0o777)
    assert cache.fetch(folder, name) is None
    cache.keep(folder, name, BAD)
    (base / "cache").chmod(0o700)
    assert cache.fetch(folder, name) == GOOD


@pytest.mark.parametrize("change", [{"raw": b"x"}, {"label": "x"}, {"tier": "project"}, {"path": "x"}, {"folder": "x"}])
def test_cache_keys(change: dict[str, Any], base: Path) -> None:
    assert cache.key(source(base, **change)) != cache.key(source(base))


def test_cache_forgets_the_oldest(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_KEPT", 2)
    for number in range(4):
        cache.keep(str(base / "cache"), f"n{number}", BAD)
        os.utime(base / "cache" / f"n{number}.plan", (number, number))
    assert sorted(os.listdir(base / "cache")) == ["n2.plan", "n3.plan"]


def test_last_good(base: Path) -> None:
    state, one = str(base / "state"), source(base)
    assert lastgood.recall(state, one) is None
    lastgood.remember(state, one, "a" * 64, GOOD)
    assert lastgood.recall(state, one) == GOOD
    other = GOOD._replace(problems=())
    lastgood.remember(state, one, "a" * 64, other)
    assert lastgood.recall(state, one) == GOOD, "the same key is the same plan"
    lastgood.remember(state, one, "b" * 64, other)
    assert lastgood.recall(state, one) == other
    assert len(os.listdir(base / "state" / "good")) == 1
    assert lastgood.recall(state, source(base, path="elsewhere")) is None


def test_last_good_that_cannot_be_used(base: Path) -> None:
    state, one = str(base / "state"), source(base)
    lastgood.remember(state, one, "a" * 64, GOOD)
    (file,) = (base / "state" / "good").iterdir()
    file.chmod(0o666)
    assert lastgood.recall(state, one) is None
    file.chmod(0o600)
    file.write_bytes(b"damaged")
    assert lastgood.recall(state, one) is None


def test_last_good_where_nothing_can_be_stored(base: Path) -> None:
    plant(base, {"state": "a file"})
    lastgood.remember(str(base / "state"), source(base), "a" * 64, GOOD)
    assert lastgood.recall(str(base / "state"), source(base)) is None


# Includes


def test_packs_are_named_not_pathed(base: Path) -> None:
    assert pack_path(here(base), "git-safe") == str(base / "packs" / "git-safe.yaml")
    for name in ("", "../x", "a/b", "Git", "a--b", "a.yaml", "\0"):
        with pytest.raises(Unreadable):
            pack_path(here(base), name)


def test_includes_stay_in_their_folder(base: Path) -> None:
    plant(
        base,
        {
            "user/in.yaml": "in",
            "user/out.yaml": {"link": "/secret"},
            "secret": "s",
            "packs/git.yaml": "g",
            "dotfiles/policy.yaml": "p",
            "dotfiles/team.yaml": "t",
            "linked/policy.yaml": {"link": "/dotfiles/policy.yaml"},
            "linked/team.yaml": {"link": "/dotfiles/team.yaml"},
        },
    )
    own, places = source(base), here(base)
    assert read_include(own, str(base / "user/in.yaml"), places) == b"in"
    assert read_include(own, str(base / "packs/git.yaml"), places) == b"g"
    for path in ("user/out.yaml", "secret", "user/../secret"):
        with pytest.raises(Unreadable, match="out of its folder"):
            read_include(own, str(base / path), places)
    linked = source(base, path=str(base / "linked/policy.yaml"), folder=str(base / "linked"))
    assert read_include(linked, str(base / "linked/team.yaml"), places) == b"t"
    project = source(base, path=str(base / "linked/policy.yaml"), within=(str(base),), folder=str(base / "linked"))
    with pytest.raises(Unreadable, match="out of its folder"):
        read_include(project, str(base / "linked/team.yaml"), places)


def test_changed_includes(base: Path) -> None:
    plant(base, {"user/a.yaml": "a"})
    own, places, path = source(base), here(base), str(base / "user/a.yaml")
    compiled = Compiled(None, (), ((path, digest(own, path, places)), (str(base / "user/gone.yaml"), "")))
    assert unchanged(own, compiled, places)
    plant(base, {"user/gone.yaml": "here now"})
    assert not unchanged(own, compiled, places)


# Trust store


def test_trust_store(base: Path) -> None:
    state = str(base / "state")
    assert store.load(state, 5) == (frozenset(), str(base / "state/trust.json"), "", 5, frozenset(), False)
    one, two = store.Reviewed("/a", "1" * 64, "x.yaml"), store.Reviewed("/b", "1" * 64, "x.yaml")
    store.add(state, one)
    store.add(state, two)
    trust = store.load(state, 0)
    assert trust.reviews == {one, two}
    assert trust.review("/a", "1" * 64) == one
    assert trust.review("/a", "2" * 64) is None
    assert trust.review("/c", "1" * 64) is None
    assert stat.S_IMODE(os.stat(base / "state/trust.json").st_mode) == 0o600
    again = one._replace(time=7)
    store.add(state, again)
    assert store.load(state, 0).reviews == {again, two}
    assert not store.remove(state, "/a", "y.yaml")
    assert store.remove(state, "/a", "x.yaml")
    assert store.load(state, 0).reviews == {two}
    assert not store.remove(state, "/a")


def test_reviews_that_are_given_and_taken_back_at_once(base: Path) -> None:
    state = str(base / "state")
    reviews = [store.Reviewed(f"/{number}", "1" * 64, "x.yaml") for number in range(24)]
    for review in reviews[:12]:
        store.add(state, review)
    with ThreadPoolExecutor(8) as threads:
        gone = [threads.submit(store.remove, state, review.root) for review in reviews[:12]]
        given = [threads.submit(store.add, state, review) for review in reviews[12:]]
    assert all(one.result() for one in gone)
    assert [one.result() for one in given] == [None] * 12
    assert store.load(state, 0).reviews == set(reviews[12:])


def test_a_lock_that_somebody_keeps(base: Path) -> None:
    path = str(base / "state/trust.json")
    with locked(path), pytest.raises(Unreadable, match="another process is at work on it"), locked(path, 0):
        pass
    with locked(path, 0):
        pass


def test_a_review_that_expires(base: Path) -> None:
    state, digest = str(base / "state"), "1" * 64
    for review in (store.Reviewed("/a", digest, "x", 100, 200), store.Reviewed("/a", digest, "y", 50, 300)):
        store.add(state, review)
    for now, counts, lapses in ((150, True, 200), (250, True, 300), (300, False, float("inf"))):
        trust = store.load(state, now)
        assert trust.accepts(trust.review("/a", digest), digest) is counts
        assert trust.lapses == lapses
    assert trust.review("/a", digest) == store.Reviewed("/a", digest, "x", 100, 200), "the last one, to be told"


@pytest.mark.parametrize("row", table("worktrees.yaml"))
def test_worktrees_of_one_repository(row: dict[str, Any], base: Path) -> None:
    tree = {"main/.git/HEAD": "ref: refs/heads/main\n", **row["tree"]}
    plant(
        base, {name: said.replace("BASE", str(base)) if isinstance(said, str) else said for name, said in tree.items()}
    )
    root, main, digest = str(base / row["root"]), str(base / "main"), "1" * 64
    assert relative(base, repository(root)) == row["want"]
    store.add(str(base / "state"), store.Reviewed(main, digest, "x", repository=repository(main)))
    trust = store.load(str(base / "state"), 0)
    assert trust.accepts(trust.review(root, digest), digest) is row["accepted"]
    assert trust.review(root, "2" * 64) is None
    assert store.remove(str(base / "state"), root) is row["accepted"]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_worktrees_as_git_makes_them(base: Path) -> None:
    def git(*arguments: str) -> None:
        settings = {"PATH": os.environ["PATH"], "HOME": str(base), "GIT_CONFIG_NOSYSTEM": "1"}
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=base, env=settings, check=True, capture_output=True)

    git("init", "main")
    git("-C", "main", "commit", "--allow-empty", "-m", "x")
    git("-C", "main", "worktree", "add", "../other")
    git("clone", "main", "clone")
    git("clone", "--bare", "main", "bare.git")
    git("-C", "bare.git", "worktree", "add", "../third")
    found = {name: relative(base, repository(str(base / name))) for name in ("main", "other", "clone", "third")}
    assert found == {"main": "main/.git", "other": "main/.git", "clone": "clone/.git", "third": "bare.git"}


def test_the_store_forgets_the_oldest_reviews(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_MOST", 2)
    for number in range(4):
        store.add(str(base / "state"), store.Reviewed("/a", str(number), "x", number))
    assert {review.digest for review in store.load(str(base / "state"), 0).reviews} == {"2", "3"}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"version": 1, "reviews": []}', '{"version": 2}', '{"version": 2, "reviews": [{}]}',
     '{"version": 2, "reviews": [{"root": "/", "digest": 1, "file": ""}]}', '{"version": 2, "reviews": 1}',
     '{"version": 2, "reviews": [{"root": "/", "digest": "1", "file": "", "until": "never"}]}',
     '{"version": 2, "reviews": [1]}', "[" * 100_000],
)  # fmt: skip
def test_a_damaged_store_reviews_nothing(text: str, base: Path) -> None:
    write_private(str(base / "trust.json"), text.encode())
    trust = store.load(str(base), 0)
    assert trust.reviews == frozenset()
    (problem,) = trust.problems
    assert problem.message == "nothing counts as reviewed, because it is damaged"
    with pytest.raises(Unreadable, match="damaged"):
        store.add(str(base), store.Reviewed("/a", "1", "x"))
    assert (base / "trust.json").read_text() == text


def test_a_store_others_can_write_reviews_nothing(base: Path) -> None:
    store.add(str(base / "s"), store.Reviewed("/a", "1", "x"))
    (base / "s" / "trust.json").chmod(0o606)
    assert store.load(str(base / "s"), 0).reviews == frozenset()


# Facts


def ask(name: Any, argument: str) -> object:
    return machine.MachineFacts(find_roots(None)).answer(FactRequest(name, argument))


def test_given(base: Path) -> None:
    plant(base, {"a/.git": None, "b/.git": None})
    roots = find_roots(str(base / "a"), str(base / "b"))
    given = machine.MachineFacts(roots).given(None)
    assert (given.start, given.roots, given.workdirs) == (str(base / "a"), roots.all, roots.all)
    user = account.account()
    assert user
    assert (given.user, given.home) == user
    assert given.now.tzinfo is not None
    workdir = (str(base / "b"),)
    assert machine.MachineFacts(roots, (*workdir, "relative", "")).given(None).workdirs == workdir
    assert machine.MachineFacts(find_roots(None)).given(None).start is None


def test_given_without_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "account", lambda: None)
    given = machine.MachineFacts(find_roots(None)).given(None)
    assert (given.user, given.home) == (None, None)


def test_resolve(base: Path) -> None:
    plant(
        base,
        {
            "a/f": "x",
            "l": {"link": "/a"},
            "to-gone": {"link": "/a/gone"},
            "circle": {"link": "circle"},
        },
    )
    assert ask("resolve", str(base / "l/f")) == str(base / "a/f")
    assert ask("resolve", str(base / "l/new/x")) == str(base / "a/new/x")
    assert ask("resolve", str(base / "to-gone")) == str(base / "a/gone")
    assert ask("resolve", str(base / "a/f/below-a-file")) == str(base / "a/f/below-a-file")
    assert ask("resolve", str(base / "circle")) is None
    assert ask("resolve", "relative") is None
    assert ask("resolve", "/a\0b") is None


def test_kind(base: Path) -> None:
    plant(base, {"a/f": "x", "l": {"link": "/a"}, "to-gone": {"link": "/a/gone"}, "circle": {"link": "circle"}})
    assert {ask("kind", str(base / name)) for name in ("a", "l")} == {"folder"}
    assert {ask("kind", str(base / name)) for name in ("a/f", "l/f")} == {"file"}
    assert {ask("kind", str(base / name)) for name in ("l/g", "a/f/g", "to-gone")} == {"none"}
    assert ask("kind", str(base / "circle")) is None


def test_script(base: Path) -> None:
    plant(
        base,
        {
            "work/x.sh": "rm a\n",
            "work/in.sh": {"link": "/work/x.sh"},
            "work/out.sh": {"link": "/other/y.sh"},
            "work/fifo": {"fifo": True},
            "work/sub/": None,
            "other/y.sh": "rm b\n",
        },
    )
    (base / "work/tool").write_bytes(b"\x7fELF\0\1\nrm c\n")
    (base / "work/odd.sh").write_bytes(b"# \xff\nr\0m d\n")
    (base / "work/wide.sh").write_bytes("é".encode() * SCRIPT_BYTES)
    (base / "work/long.sh").write_bytes(b"#" * (SCRIPT_BYTES + 10))
    roots = Roots(start=str(base / "work"), all=(str(base / "work"),), folders=())
    facts = machine.MachineFacts(roots)

    def text(name: str, facts: machine.MachineFacts = facts) -> object:
        return facts.answer(FactRequest("script", str(base / name)))

    assert text("work/x.sh") == text("work/in.sh") == "rm a\n"
    assert text("work/odd.sh") == "# \ufffd\nr\0m d\n"
    assert text("work/tool") == "\x7fELF\0\1\nrm c\n"
    assert len(str(text("work/wide.sh"))) == SCRIPT_BYTES + 1
    assert text("work/long.sh") == "#" * (SCRIPT_BYTES + 1)
    unread = ("work/out.sh", "work/fifo", "work/sub", "work/gone", "other/y.sh")
    assert {text(name) for name in unread} == {None}
    assert text("other/y.sh", machine.MachineFacts(roots, (str(base / "other"), "relative"))) == "rm b\n"
    assert text("work/x.sh", machine.MachineFacts(Roots(start=None, all=(), folders=()))) is None


def test_listing(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"a/b/c": "x", "a/.git/c": "x", "a/l": {"link": "/a"}, "a/c": "x", "a/shut/c": "x"})
    found = {".git": ("",), "b": ("",), "c": ("", "b", "shut"), "l": ("",), "shut": ("",)}
    assert ask("listing", str(base / "a")) == found
    scandir = os.scandir
    monkeypatch.setattr(
        os, "scandir", lambda path: denied(path) if str(path).rstrip("/").endswith("shut") else scandir(path)
    )
    assert ask("listing", str(base / "a")) == {**found, "c": ("", "b")}
    assert ask("listing", str(base / "a/shut")) is None
    assert ask("listing", str(base / "gone")) == ask("listing", str(base / "a/c")) == {}
    monkeypatch.setattr(machine, "LISTED", 5)
    assert ask("listing", str(base / "a")) is None


@pytest.mark.parametrize(
    ("ignore", "path", "out"),
    [
        ({}, ".env", False),
        ({".gitignore": ".env\n"}, ".env", True),
        ({".gitignore": ".env\n"}, "a/b/.env", True),
        ({".gitignore": "/.env\n"}, "a/.env", False),
        ({".gitignore": "# .env\n\n  \n/\n"}, ".env", False),
        ({".gitignore": "*.pem  \n"}, "a/x.pem", True),
        ({".gitignore": "a/*.pem\n"}, "a/x.pem", True),
        ({".gitignore": "a/*.pem\n"}, "b/a/x.pem", False),
        ({".gitignore": "a/**/x\n"}, "a/b/c/x", True),
        ({".gitignore": "a/\n"}, "a/b/x", True),
        ({".gitignore": ".env/\n"}, ".env", False),
        ({".gitignore": ".env\n!.env\n"}, ".env", False),
        ({".gitignore": ".env\n", "a/.gitignore": "!.env\n"}, "a/.env", False),
        ({"a/.gitignore": ".env\n"}, "a/.env", True),
        ({"a/.gitignore": ".env\n"}, ".env", False),
        ({".git/info/exclude": ".env\n"}, ".env", False),
        ({".gitignore": ".env\n", ".git/index": "DIRC\0\0\0\2 app/.env.example\0"}, ".env", True),
        ({".gitignore": ".env\n", ".git/index": "DIRC\0\0\0\2 .env\0"}, ".env", False),
        ({".gitignore": ".env\n", ".git/index": "DIRC\0\0\0\4 x\0"}, ".env", None),
        ({".gitignore": {"bytes": 1 << 17}}, ".env", None),
    ],
)
def test_ignored(ignore: dict[str, Any], path: str, out: object, base: Path) -> None:
    plant(base, {".git/HEAD": "ref: refs/heads/main\n", "a/b": None, **ignore})
    assert ask("ignored", str(base / path)) is out


def test_nothing_is_ignored_outside_of_repositories(base: Path) -> None:
    plant(base, {".gitignore": ".env\n"})
    assert ask("ignored", str(base / ".env")) is False


def test_home_of() -> None:
    assert ask("home_of", "root") == account.home_of("root")
    assert ask("home_of", "no such user") is None


def test_a_share_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_WINDOWS", True)
    assert ask("resolve", "//server/share/x") is None
    assert ask("resolve", "\\\\server\\share\\x") is None
    assert machine.MachineFacts(find_roots(None)).given(None).windows


@pytest.mark.parametrize(
    ("tree", "want"),
    [
        ({"r/.git/HEAD": "ref: refs/heads/main\n"}, "main"),
        ({"r/.git/HEAD": "ref: refs/heads/feat/x"}, "feat/x"),
        ({"r/.git/HEAD": "0123456789abcdef0123456789abcdef01234567\n"}, ""),
        ({"r/.git/HEAD": "ref: refs/remotes/origin/x\n"}, ""),
        ({"r/.git/HEAD": "ref: refs/heads/.invalid\n"}, None),
        ({"r/.git/HEAD": "nonsense"}, None),
        ({"r/.git/HEAD": {"bytes": 5000}}, None),
        ({"r/.git/HEAD": {"fifo": True}}, None),
        ({"r/.git/HEAD": {"link": "refs/heads/old"}}, "old"),
        ({"r/.git": None}, None),
        ({"r/.git": "gitdir: ../g/worktrees/w\n", "g/worktrees/w/HEAD": "ref: refs/heads/side\n"}, "side"),
        ({"r/.git": "nonsense"}, None),
        ({"r/.git": "gitdir: /nowhere"}, None),
        ({".git/HEAD": "ref: refs/heads/outer\n", "r": None}, "outer"),
        ({".git/HEAD": "ref: refs/heads/outer\n", "r/.git/HEAD": "ref: refs/heads/inner\n"}, "inner"),
    ],
)
def test_branch(tree: dict[str, Any], want: str | None, base: Path) -> None:
    plant(base, tree)
    assert git.branch(str(base / "r" / "not" / "there")) == want
    assert ask("branch", str(base / "r")) == want


def test_branch_without_a_repository(base: Path) -> None:
    assert git.branch("/") == ""
    assert git.branch("a\0b") is None


def test_case_is_told_from_names_that_exist(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(base, {"dir/Name": "x", "dir/1": "x"})
    folds = (base / "DIR").exists()
    assert ask("folds_case", str(base / "dir")) is folds
    assert ask("folds_case", str(base / "dir" / "name" / "gone")) is folds
    plant(base, {"dir/nAME": "y"})
    assert ask("folds_case", str(base / "dir")) is folds
    monkeypatch.setattr(machine, "_same", lambda name, status: True)
    assert ask("folds_case", str(base / "dir")) is True


def test_a_second_link_does_not_look_like_folded_case(base: Path) -> None:
    plant(base, {"dir/secret": "x"})
    os.link(base / "dir" / "secret", base / "dir" / "SECRET")
    assert ask("folds_case", str(base / "dir")) is False


def test_case_is_told_from_the_folders_above(base: Path) -> None:
    plant(base, {"Dir/1": "x", "Dir/2/3": "x"})
    folds = (base / "DIR").exists()
    assert ask("folds_case", str(base / "Dir")) is folds
    assert ask("folds_case", str(base / "Dir/1")) is folds
    assert ask("folds_case", str(base / "Dir/2/3/gone")) is folds


def test_case_where_no_name_tells(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_near", lambda path: iter(()))
    assert ask("folds_case", str(base)) is (sys.platform == "darwin")
    assert machine._same(f"{__file__}/below-a-file", os.lstat("/")) is False
