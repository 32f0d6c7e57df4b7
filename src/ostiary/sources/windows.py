"""What only Windows' own interfaces tell: known folders and the name of the user."""

from __future__ import annotations

import ctypes
import sys
import uuid
from typing import Final

# https://learn.microsoft.com/windows/win32/shell/knownfolderid
PROFILE: Final = uuid.UUID("5E6C858F-0E22-4760-9AFE-EA3317B67173")
ROAMING: Final = uuid.UUID("3EB685DB-65F9-4CF6-A03A-E3EF65729F3D")
LOCAL: Final = uuid.UUID("F1B32785-6FBA-4FCF-9D55-7B8E7F157091")
PROGRAMS: Final = uuid.UUID("905E63B6-C1BF-494E-B29C-65B732D3D21A")

# KF_FLAG_DONT_VERIFY: a roaming folder on an absent server must not hold up a decision.
_DONT_VERIFY: Final = 0x4000

# https://learn.microsoft.com/windows/win32/api/secext/ne-secext-extended_name_format
_NAME_LENGTH: Final = 257

# TH32CS_SNAPPROCESS
_PROCESSES: Final = 0x2


if sys.platform == "win32":

    def known_folder(identifier: uuid.UUID) -> str | None:
        """The absolute path of a known folder of this user, None if the system has none."""
        guid = (ctypes.c_byte * 16).from_buffer_copy(identifier.bytes_le)
        path = ctypes.c_wchar_p()
        failed = ctypes.windll.shell32.SHGetKnownFolderPath(ctypes.byref(guid), _DONT_VERIFY, None, ctypes.byref(path))
        try:
            return None if failed else path.value
        finally:
            ctypes.windll.ole32.CoTaskMemFree(path)

    def user_name() -> str | None:
        """The name this user signed in with, None if the system does not say."""
        buffer = ctypes.create_unicode_buffer(_NAME_LENGTH)
        size = ctypes.c_ulong(_NAME_LENGTH)
        return buffer.value if ctypes.windll.advapi32.GetUserNameW(buffer, ctypes.byref(size)) else None

    class _Entry(ctypes.Structure):
        """PROCESSENTRY32W: https://learn.microsoft.com/windows/win32/api/tlhelp32/ns-tlhelp32-processentry32w"""

        _fields_ = (
            ("size", ctypes.c_ulong),
            ("usage", ctypes.c_ulong),
            ("pid", ctypes.c_ulong),
            ("heap", ctypes.c_size_t),
            ("module", ctypes.c_ulong),
            ("threads", ctypes.c_ulong),
            ("parent", ctypes.c_ulong),
            ("priority", ctypes.c_long),
            ("flags", ctypes.c_ulong),
            ("name", ctypes.c_wchar * 260),
        )

    def processes() -> list[tuple[int, int, str]]:
        """Number, parent and program of every process, empty if the system does not say."""
        kernel = ctypes.windll.kernel32
        kernel.CreateToolhelp32Snapshot.restype = ctypes.c_void_p
        snapshot = ctypes.c_void_p(kernel.CreateToolhelp32Snapshot(_PROCESSES, 0))
        entry = _Entry()
        entry.size = ctypes.sizeof(entry)
        found: list[tuple[int, int, str]] = []
        more = kernel.Process32FirstW(snapshot, ctypes.byref(entry))
        while more:
            found.append((entry.pid, entry.parent, entry.name))
            more = kernel.Process32NextW(snapshot, ctypes.byref(entry))
        kernel.CloseHandle(snapshot)
        return found
