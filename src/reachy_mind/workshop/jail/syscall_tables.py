"""Numbers of the system calls that the rules of `seccomp` name, on both architectures.

Taken from libseccomp; a test compares them with the headers of the machine. A call that an architecture does not have
is not in its table.
"""

from __future__ import annotations

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""How a filter names the architecture of a call."""

_X86_64 = """
read=0 write=1 readv=19 writev=20 pread64=17 pwrite64=18 preadv=295 pwritev=296 preadv2=327 pwritev2=328 lseek=8
open=2 openat=257 creat=85 close=3 close_range=436 dup=32 dup2=33 dup3=292 stat=4 lstat=6 fstat=5 newfstatat=262
statx=332 access=21 faccessat=269 faccessat2=439 statfs=137 fstatfs=138 getdents=78 getdents64=217 getcwd=79 chdir=80
fchdir=81 mkdir=83 mkdirat=258 rmdir=84 unlink=87 unlinkat=263 rename=82 renameat=264 renameat2=316 ftruncate=77
truncate=76 fallocate=285 fsync=74 fdatasync=75 fadvise64=221 sendfile=40 copy_file_range=326 flock=73 fcntl=72
umask=95 readlink=89 readlinkat=267 chmod=90 fchmod=91 fchmodat=268 fchmodat2=452 utime=132 utimes=235 futimesat=261
utimensat=280 mmap=9 munmap=11 mremap=25 mprotect=10 madvise=28 brk=12 msync=26 membarrier=324 futex=202
futex_waitv=449 set_robust_list=273 get_robust_list=274 rseq=334 sched_yield=24 sched_getaffinity=204
sched_getparam=143 sched_getscheduler=145 sched_get_priority_max=146 sched_get_priority_min=147 getcpu=309 clone=56
clone3=435 exit=60 exit_group=231 restart_syscall=219 set_tid_address=218 clock_gettime=228 clock_getres=229
clock_nanosleep=230 nanosleep=35 gettimeofday=96 time=201 times=100 getrusage=98 getitimer=36 setitimer=38 alarm=37
pause=34 poll=7 ppoll=271 select=23 pselect6=270 epoll_create=213 epoll_create1=291 epoll_ctl=233 epoll_wait=232
epoll_pwait=281 epoll_pwait2=441 eventfd=284 eventfd2=290 pipe=22 pipe2=293 socket=41 socketpair=53 sendto=44
recvfrom=45 shutdown=48 getsockname=51 getpeername=52 getsockopt=55 rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15
rt_sigpending=127 rt_sigsuspend=130 rt_sigtimedwait=128 sigaltstack=131 tgkill=234 getpid=39 getppid=110 gettid=186
getuid=102 geteuid=107 getgid=104 getegid=108 getresuid=118 getresgid=120 getgroups=115 getpgid=121 getpgrp=111
getsid=124 uname=63 sysinfo=99 getrandom=318 getrlimit=97 prlimit64=302 prctl=157 ioctl=16 wait4=61 waitid=247
getpriority=140 seccomp=317 capset=126 pivot_root=155 landlock_create_ruleset=444 landlock_add_rule=445
landlock_restrict_self=446 pidfd_open=434 openat2=437 arch_prctl=158 capget=125 listxattr=194 llistxattr=195
flistxattr=196 getxattr=191 lgetxattr=192 fgetxattr=193 setxattr=188 lsetxattr=189 fsetxattr=190
execve=59 execveat=322 fork=57 vfork=58 kill=62 tkill=200 connect=42 bind=49 listen=50 accept=43 accept4=288 sendmsg=46
sendmmsg=307 recvmsg=47 recvmmsg=299 setsockopt=54 symlink=88 symlinkat=266 link=86 linkat=265 setrlimit=160
setpgid=109 setsid=112 sched_setaffinity=203 setpriority=141 inotify_init=253 inotify_init1=294 inotify_add_watch=254
inotify_rm_watch=255 timerfd_create=283 timerfd_settime=286 timerfd_gettime=287 signalfd=282 signalfd4=289 chown=92
fchown=93 lchown=94 fchownat=260 setresuid=117 setresgid=119 setreuid=113 setregid=114 setuid=105 setgid=106 mlock=149
munlock=150 pidfd_send_signal=424 mknod=133 mknodat=259 mincore=27 timer_create=222 timer_settime=223 timer_delete=226
timer_gettime=224 timer_getoverrun=225 sched_getattr=315 open_tree=428 move_mount=429 mount_setattr=442
"""

_AARCH64 = """
read=63 write=64 readv=65 writev=66 pread64=67 pwrite64=68 preadv=69 pwritev=70 preadv2=286 pwritev2=287 lseek=62
openat=56 close=57 close_range=436 dup=23 dup3=24 fstat=80 newfstatat=79 statx=291 faccessat=48 faccessat2=439
statfs=43 fstatfs=44 getdents64=61 getcwd=17 chdir=49 fchdir=50 mkdirat=34 unlinkat=35 renameat=38 renameat2=276
ftruncate=46 truncate=45 fallocate=47 fsync=82 fdatasync=83 fadvise64=223 sendfile=71 copy_file_range=285 flock=32
fcntl=25 umask=166 readlinkat=78 fchmod=52 fchmodat=53 fchmodat2=452 utimensat=88 mmap=222 munmap=215 mremap=216
mprotect=226 madvise=233 brk=214 msync=227 membarrier=283 futex=98 futex_waitv=449 set_robust_list=99
get_robust_list=100 rseq=293 sched_yield=124 sched_getaffinity=123 sched_getparam=121 sched_getscheduler=120
sched_get_priority_max=125 sched_get_priority_min=126 getcpu=168 clone=220 clone3=435 exit=93 exit_group=94
restart_syscall=128 set_tid_address=96 clock_gettime=113 clock_getres=114 clock_nanosleep=115 nanosleep=101
gettimeofday=169 times=153 getrusage=165 getitimer=102 setitimer=103 ppoll=73 pselect6=72 epoll_create1=20
epoll_ctl=21 epoll_pwait=22 epoll_pwait2=441 eventfd2=19 pipe2=59 socket=198 socketpair=199 sendto=206 recvfrom=207
shutdown=210 getsockname=204 getpeername=205 getsockopt=209 rt_sigaction=134 rt_sigprocmask=135 rt_sigreturn=139
rt_sigpending=136 rt_sigsuspend=133 rt_sigtimedwait=137 sigaltstack=132 tgkill=131 getpid=172 getppid=173 gettid=178
getuid=174 geteuid=175 getgid=176 getegid=177 getresuid=148 getresgid=150 getgroups=158 getpgid=155 getsid=156
uname=160 sysinfo=179 getrandom=278 getrlimit=163 prlimit64=261 prctl=167 ioctl=29 wait4=260 waitid=95 getpriority=141
seccomp=277 capset=91 pivot_root=41 landlock_create_ruleset=444 landlock_add_rule=445 landlock_restrict_self=446
pidfd_open=434 openat2=437 capget=90 listxattr=11 llistxattr=12 flistxattr=13 getxattr=8 lgetxattr=9 fgetxattr=10
setxattr=5 lsetxattr=6 fsetxattr=7 execve=221 execveat=281 kill=129 tkill=130 connect=203 bind=200 listen=201
accept=202 accept4=242 sendmsg=211 sendmmsg=269 recvmsg=212 recvmmsg=243 setsockopt=208 symlinkat=36 linkat=37
setrlimit=164 setpgid=154 setsid=157 sched_setaffinity=122 setpriority=140 inotify_init1=26 inotify_add_watch=27
inotify_rm_watch=28 timerfd_create=85 timerfd_settime=86 timerfd_gettime=87 signalfd4=74 fchown=55 fchownat=54
setresuid=147 setresgid=149 setreuid=145 setregid=143 setuid=146 setgid=144 mlock=228 munlock=229
pidfd_send_signal=424 mknodat=33 mincore=232 timer_create=107 timer_settime=110 timer_delete=111 timer_gettime=108
timer_getoverrun=109 sched_getattr=275 open_tree=428 move_mount=429 mount_setattr=442
"""


def _numbers(text: str) -> dict[str, int]:
    return {name: int(number) for name, _, number in (entry.partition("=") for entry in text.split())}


NUMBERS = {"x86_64": _numbers(_X86_64), "aarch64": _numbers(_AARCH64)}
