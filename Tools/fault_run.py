#!/usr/bin/env python3
"""Daemons on one PostgreSQL database, with a proxy of this program between, under faults with a seed.

A client of each world sends numbered inputs, many at a time, and repeats those whose answers it has not got, at whatever
daemon has the world. At the end each input that was answered is there, once, in its place. The last line says so:
`faults N lost 0 twice 0 holes 0`; the exit code is 0 if it does. With --control the run takes the fence out of the
database, and must find that: the code is 0 if it does. With --brief the pauses are shorter than a lease.
"""

import argparse
import asyncio
import contextlib
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WINDOW = 16
# What fences in the function that appends, and what does not.
FENCES = {
    "(SELECT l.epoch FROM fsmd.log l WHERE l.world = r.world AND l.number = r.number - 1) = epochs_before[i]": "true",
    "ON CONFLICT (world, number) DO NOTHING": "",
}
# And what fences in the table.
NO_KEY = "ALTER TABLE fsmd.log DROP CONSTRAINT log_pkey; CREATE INDEX log_index ON fsmd.log(world, number)"


class Server:
    """A PostgreSQL server in a temporary folder, under a user without rights."""

    def __init__(self, folder, name, room):
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda p: int(p.split("/")[4]))[-1]
        self.folder, self.place, self.port = folder, f"{folder}/{name}", free_port()
        self.data = f"{self.place}/data"
        os.mkdir(self.place)
        self.room = room
        if room:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "none", self.place], check=True)
        os.chmod(self.place, 0o777)

    def run(self, program, *words, check=True):
        user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        return subprocess.run(user + [f"{self.bin}/{program}", *words], cwd="/", check=check, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=True)

    def make(self):
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "fsm", "--no-sync", "--no-instructions")
        self.start()
        self.run("createdb", "-h", self.folder, "-p", str(self.port), "-U", "fsm", "worlds")

    def start(self):
        options = (f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder}"
                   " -c shared_buffers=32MB -c max_connections=60 -c max_wal_size=128MB"
                   " -c wal_retrieve_retry_interval=200ms")
        self.run("pg_ctl", "-D", self.data, "-w", "-s", "-l", f"{self.folder}/log", "-o", options, "start")

    def follow(self, primary):
        """Becomes the synchronous standby of a server, from nothing."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "fsm", "-D", self.data, "-R", "-c",
                 "fast", "--no-sync")
        self.start()
        self.wait_until_followed(primary)
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.sql("SELECT pg_reload_conf()")

    def wait_until_followed(self, primary):
        while primary.sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == ["0"]:
            time.sleep(0.1)

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-s", "promote")

    def sql(self, text):
        end = time.monotonic() + 60
        while True:
            result = subprocess.run(
                [f"{self.bin}/psql", "-X", "-At", "-F", " ", "-v", "ON_ERROR_STOP=1", "-c", text, self.url],
                capture_output=True, text=True)
            if result.returncode == 0:
                return result.stdout.splitlines()
            # There is no connection while the server recovers from a fault.
            if result.returncode != 2 or time.monotonic() > end:
                raise RuntimeError(f"{text}: {result.stderr}")
            time.sleep(0.2)

    @property
    def url(self):
        return f"postgresql://fsm@127.0.0.1:{self.port}/worlds"

    def take_fences_away(self):
        append = "\n".join(self.sql("SELECT pg_get_functiondef('fsmd.append(fsmd.log[], uuid[], fsmd.segments[])'::regprocedure)"))
        for fence, nothing in FENCES.items():
            assert fence in append, f"fsmd.append has no {fence}"
            append = append.replace(fence, nothing)
        self.sql(f"{NO_KEY}; {append}")

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-s", "-m", "immediate", "stop", check=False)

    def kill(self):
        """Kills all its processes at once."""
        with open(f"{self.data}/postmaster.pid") as file:
            first = int(file.readline())
        with open(f"/proc/{first}/task/{first}/children") as file:
            all = [first, *map(int, file.read().split())]
        for pid in all:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def start_again(self):
        """Starts it after its end, as soon as nothing is left of its processes."""
        for attempt in range(100):
            try:
                return self.start()
            except subprocess.CalledProcessError:
                if attempt == 99:
                    raise
                time.sleep(0.2)

    def unmount(self):
        if self.room:
            # Also if a process is still on its way out.
            subprocess.run(["umount", "-l", self.place], check=False)

    def fill_disk(self):
        with open(f"{self.place}/filler", "wb", buffering=0) as filler:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        filler.write(b"x" * size)
                except OSError:
                    pass

    def empty_disk(self):
        os.remove(f"{self.place}/filler")
        # It may have ended meanwhile, or be about to: without room for its log it cannot go on.
        if self.run("pg_isready", "-h", self.folder, "-p", str(self.port), check=False).returncode != 0:
            self.stop()
            self.start()


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxy:
    """Between one daemon and the server. A link can be cut, or stand still in one direction."""

    def __init__(self, server):
        self.server = server
        self.port, self.links = None, set()
        self.requests_flow, self.replies_flow = asyncio.Event(), asyncio.Event()
        self.requests_flow.set()
        self.replies_flow.set()
        self.refuses = False

    async def start(self):
        self.listener = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.listener.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        if self.refuses:
            return writer.close()
        try:
            other_reader, other = await asyncio.open_connection("127.0.0.1", self.server().port)
        except OSError:
            return writer.close()
        self.links |= {writer, other}
        await asyncio.gather(self.pump(reader, other, self.requests_flow),
                             self.pump(other_reader, writer, self.replies_flow))
        self.links -= {writer, other}

    async def pump(self, reader, writer, flow):
        try:
            while data := await reader.read(1 << 16):
                await flow.wait()
                writer.write(data)
                await writer.drain()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def cut(self):
        for link in list(self.links):
            link.transport.abort()

    def hold(self):
        """Holds the requests of the present links, not those of later ones, until what it returns is set."""
        held, self.requests_flow = self.requests_flow, asyncio.Event()
        self.requests_flow.set()
        held.clear()
        return held


class Daemon:
    def __init__(self, name, program, folder, proxy):
        self.name, self.program, self.folder, self.proxy = name, program, folder, proxy
        self.socket = f"{folder}/{name}.sock"
        self.process = None

    def start(self):
        log = open(f"{self.folder}/{self.name}.log", "ab")
        url = f"postgresql://fsm@127.0.0.1:{self.proxy.port}/worlds"
        self.process = subprocess.Popen(
            [self.program, "--socket", self.socket, "--store", url, "--name", self.name, "--limit", "worlds=1000",
             "--limit", "checkpointInputs=2000"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Client:
    """Sends numbered inputs to one world until it is told to stop, and then until all are settled."""

    pause = 0.05   # at most, in seconds

    def __init__(self, world, daemons, dice):
        self.world, self.daemons, self.dice = world, daemons, dice
        self.answers = {}   # input -> seq
        self.waiting = []   # numbers without an answer, ascending
        self.next, self.base = 1, None
        self.stops = asyncio.Event()
        self.twice = 0
        self.host = None

    async def run(self):
        while not (self.stops.is_set() and not self.waiting and self.base is not None):
            daemon = self.host or self.dice.choice(self.daemons)
            self.host = None
            try:
                await asyncio.wait_for(self.converse(daemon), 120)
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, EOFError):
                pass
            await asyncio.sleep(0.05)

    async def ask(self, reader, writer, line):
        writer.write(f"{line}\n".encode())
        return await self.final(reader)

    async def final(self, reader):
        while True:
            line = (await asyncio.wait_for(reader.readuntil(b"\n"), 40)).decode().strip()
            if line[:1] in "+-":
                return line

    async def converse(self, daemon):
        reader, writer = await asyncio.open_unix_connection(daemon.socket)
        try:
            await self.final(reader)
            for line in (f"use {self.world}", f"client c-{self.world}"):
                answer = await self.ask(reader, writer, line)
                if answer.startswith("- UNKNOWN-WORLD"):
                    answer = await self.ask(reader, writer, f"world new {self.world} durable=yes")
                    return
                if not answer.startswith("+"):
                    return self.follow(answer)
            if self.base is None:
                answer = await self.ask(reader, writer, "new stepper p")
                if not answer.startswith("+") and "NAME-TAKEN" not in answer:
                    return self.follow(answer)
                self.base = 1
            while not (self.stops.is_set() and not self.waiting):
                while len(self.waiting) < WINDOW and not self.stops.is_set():
                    self.waiting.append(self.next)
                    self.next += 1
                sent = list(self.waiting)
                writer.write("".join(f"send p increment id={n}\n" for n in sent).encode())
                failed = None
                for n in sent:
                    answer = await self.final(reader)
                    if answer.startswith("+"):
                        seq = int(re.search(r"seq=(\d+)", answer)[1])
                        if self.answers.setdefault(n, seq) != seq:
                            self.twice += 1
                        self.waiting.remove(n)
                    elif "EXPIRED-ID" in answer:
                        # A later one has been run, and this one never will be.
                        self.waiting.remove(n)
                    else:
                        failed = failed or answer
                if failed:
                    return self.follow(failed)
                await asyncio.sleep(self.dice.random() * Client.pause)
        finally:
            writer.close()

    def follow(self, answer):
        if found := re.match(r"- MOVED world=\S+ host=(\S+)", answer):
            self.host = next((d for d in self.daemons if d.name == found[1]), None)


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.dice = random.Random(options.seed)
        self.faults = 0
        self.standby = None
        # How long the pauses are.
        self.scale = 0.1 if options.brief else 1

    async def go(self):
        room = "1G" if self.options.has_disks else None
        self.server = Server(self.folder, "one", room)
        self.server.make()
        if self.options.standby:
            self.standby = Server(self.folder, "two", room)
            self.standby.follow(self.server)
        self.proxies = [Proxy(lambda: self.server) for _ in range(3)]
        for proxy in self.proxies:
            await proxy.start()
        self.daemons = [Daemon(n, self.options.fsmd, self.folder, p) for n, p in zip("abc", self.proxies)]
        for daemon in self.daemons:
            daemon.start()
        clients = [Client(f"w{n}", self.daemons, self.dice) for n in range(self.options.worlds)]
        tasks = [asyncio.create_task(client.run()) for client in clients]
        try:
            while not all(client.answers for client in clients):
                await asyncio.sleep(0.2)
            if self.options.control:
                self.server.take_fences_away()
            is_steady = not self.options.snapshot or await self.snapshot(clients)
            for number in range(self.options.faults):
                await self.fault(number)
                self.faults += 1
            self.heal()
            for client in clients:
                client.stops.set()
            done, left = await asyncio.wait(tasks, timeout=30 if self.options.control else 180)
            for client, task in zip(clients, tasks):
                if task in left:
                    print(f"{client.world}: {len(client.waiting)} inputs have no answer", flush=True)
            return await self.judge(clients, bool(left)) and is_steady
        finally:
            for task in tasks:
                task.cancel()
            for daemon in self.daemons:
                daemon.kill()
            for server in filter(None, [self.server, self.standby]):
                server.stop()
                server.unmount()

    async def snapshot(self, clients):
        """Whether throughput stays while a snapshot of the database is open, so that nothing old can be removed."""
        span = self.options.snapshot
        Client.pause = 0
        holder = await asyncio.create_subprocess_exec(
            f"{self.server.bin}/psql", "-X", "-q", "-c", "BEGIN ISOLATION LEVEL REPEATABLE READ", "-c",
            "SELECT count(*) FROM fsmd.log", "-c", f"SELECT pg_sleep({span + 60})", self.server.url,
            stdout=asyncio.subprocess.DEVNULL)
        rates = []
        for _ in range(span):
            before = sum(len(client.answers) for client in clients)
            await asyncio.sleep(1)
            rates.append(sum(len(client.answers) for client in clients) - before)
        Client.pause = 0.05
        with contextlib.suppress(ProcessLookupError):
            holder.terminate()
        await holder.wait()
        some = max(1, span // 5)
        first, last = sorted(rates[:some])[some // 2], sorted(rates[-some:])[some // 2]
        print(f"snapshot open for {span} s: {first} inputs/s in its first {some} s, {last} in its last; "
              f"{last / max(1, first):.2f}, and 0.8 is asked for", flush=True)
        return last >= 0.8 * first

    def heal(self):
        for daemon in self.daemons:
            if daemon.process.poll() is not None:
                daemon.start()
            daemon.process.send_signal(signal.SIGCONT)
        for proxy in self.proxies:
            proxy.refuses = False
            proxy.requests_flow.set()
            proxy.replies_flow.set()

    async def fault(self, number):
        """One fault, and the time until the next."""
        place = self.dice.randrange(3)
        daemon, proxy = self.daemons[place], self.proxies[place]
        whats = ["kill", "kill", "late kill", "kill all", "end", "stop", "pause", "cut", "cut", "refuse", "no replies",
                 "late requests", "crash", "move", "move"]
        if self.standby:
            whats += ["failover", "standby away"]
        if self.options.has_disks:
            whats += ["disk full"]
        if self.options.control:
            # Only these need the fence. Short pauses are shorter than a lease, so nobody takes a world in them.
            whats = ["late kill"] if self.options.brief else ["late kill", "late requests"]
        what = self.dice.choice(whats)
        print(f"{number}: {what} {daemon.name}", flush=True)
        wait = self.dice.random()

        async def pause(seconds):
            await asyncio.sleep(seconds * self.scale)

        if what in ("kill", "end"):
            if what == "kill":
                daemon.kill()
            else:
                daemon.process.terminate()
                try:
                    await asyncio.to_thread(daemon.process.wait, 20)
                except subprocess.TimeoutExpired:
                    daemon.kill()
            await pause(wait * 8 if self.dice.random() < 0.5 else 0.2)
            daemon.start()
        elif what == "late kill":
            # What it has sent arrives when its successor has the worlds.
            held, process = proxy.hold(), daemon.process.pid
            await asyncio.sleep(0.2)
            daemon.kill()
            daemon.start()
            end = time.monotonic() + 10
            question = f"SELECT count(*) FROM fsmd.status WHERE process = {process}"
            while await asyncio.to_thread(self.server.sql, question) != ["0"] and time.monotonic() < end:
                await asyncio.sleep(0.1)
            held.set()
        elif what == "kill all":
            for one in self.daemons:
                one.process.kill()
            self.server.kill()
            for one in self.daemons:
                one.kill()
            await asyncio.to_thread(self.server.start_again)
            for one in self.daemons:
                one.start()
        elif what in ("stop", "pause"):
            daemon.process.send_signal(signal.SIGSTOP)
            await pause(5.5 + wait * 2 if what == "stop" else wait * 3)
            daemon.process.send_signal(signal.SIGCONT)
        elif what == "cut":
            proxy.cut()
        elif what == "refuse":
            proxy.refuses = True
            proxy.cut()
            await pause(wait * 7)
            proxy.refuses = False
        elif what == "no replies":
            proxy.replies_flow.clear()
            await pause(wait * 7)
            proxy.cut()
            proxy.replies_flow.set()
        elif what == "late requests":
            proxy.requests_flow.clear()
            await pause(wait * 3 if wait < 0.3 else 6 + wait * 4)
            proxy.requests_flow.set()
        elif what == "crash":
            await asyncio.to_thread(self.server.stop)
            await pause(wait * 3)
            await asyncio.to_thread(self.server.start)
        elif what == "failover":
            await asyncio.to_thread(self.server.stop)
            await asyncio.to_thread(self.standby.promote)
            self.server, self.standby = self.standby, self.server
            await pause(wait * 3)
            await asyncio.to_thread(self.standby.follow, self.server)
        elif what == "standby away":
            # Commits wait for it.
            await asyncio.to_thread(self.standby.stop)
            await pause(wait * 8)
            await asyncio.to_thread(self.standby.start)
            await asyncio.to_thread(self.standby.wait_until_followed, self.server)
        elif what == "disk full":
            await asyncio.to_thread(self.server.fill_disk)
            await pause(1 + wait * 5)
            await asyncio.to_thread(self.server.empty_disk)
        elif what == "move":
            world, target = f"w{self.dice.randrange(self.options.worlds)}", self.dice.choice(self.daemons).name
            try:
                reader, writer = await asyncio.open_unix_connection(daemon.socket)
                writer.write(f"world move {world} {target}\n".encode())
                await asyncio.wait_for(reader.readuntil(b"\n"), 5)
                await asyncio.wait_for(reader.readuntil(b"\n"), 10)
                writer.close()
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
                pass
        await pause(wait * 2)

    async def judge(self, clients, is_hanging):
        lost = twice = holes = 0
        for daemon in self.daemons:
            daemon.process.terminate()
        for daemon in self.daemons:
            await asyncio.to_thread(daemon.process.wait)
        heads = dict(line.split() for line in self.server.sql("SELECT name, inputs FROM fsmd.status"))
        for client in clients:
            head = int(heads[client.world])
            places = sorted(client.answers.values())
            lost += sum(1 for place in places if place > head)
            twice += client.twice + (head - 1 - len(places)) + len(places) - len(set(places))
            holes += sum(1 for a, b in zip(places, places[1:]) if b > a + 1)
        check = await asyncio.to_thread(
            subprocess.run, [self.options.fsmd, "verify", "--state", self.server.url], capture_output=True, text=True)
        if check.returncode != 0:
            bad = [line for line in (check.stdout + check.stderr).splitlines() if " good " not in line]
            print("verify:", *bad[:5], sep="\n  ", flush=True)
            holes += max(1, sum(1 for line in bad if " bad: " in line))
        total = sum(len(client.answers) for client in clients)
        print(f"seed {self.options.seed}: {total} inputs in {len(clients)} worlds were answered")
        print(f"faults {self.faults} lost {lost} twice {twice} holes {holes}", flush=True)
        return not (lost or twice or holes or is_hanging)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fsmd", default=".build/debug/fsmd")
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--control", action="store_true", help="without the fence; the run must find that")
    parser.add_argument("--standby", action="store_true", help="with a synchronous standby, which takes over at times")
    parser.add_argument("--snapshot", type=int, default=0, metavar="SECONDS",
                        help="measure throughput first, while a snapshot is open for so long")
    parser.add_argument("--mounts", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--brief", action="store_true", help="with short pauses")
    options = parser.parse_args()
    # Mounts of a namespace of our own go with it.
    unshare, try_mount = ["unshare", "-m"], ["mount", "-t", "tmpfs", "none", "/mnt"]
    if not options.brief and not options.mounts and os.getuid() == 0:
        if subprocess.run(unshare + try_mount, stderr=subprocess.DEVNULL).returncode == 0:
            os.execvp("unshare", [*unshare, sys.executable, *sys.argv, "--mounts", "--seed", str(options.seed)])
    options.has_disks = options.mounts
    if not options.has_disks and not options.brief:
        print("a full disk is left out: only root can mount a small one, and not everywhere", flush=True)
    options.fsmd = os.path.abspath(options.fsmd)
    folder = tempfile.mkdtemp(prefix="fsmd-faults-")
    os.chmod(folder, 0o777)
    print(f"seed {options.seed}", flush=True)
    try:
        is_good = asyncio.run(Run(options, folder).go())
    finally:
        if os.environ.get("KEEP") != "1":
            shutil.rmtree(folder, ignore_errors=True)
    if options.control:
        print("the run has found that the fence is off" if not is_good else "the run does not notice that the fence is off")
        sys.exit(0 if not is_good else 1)
    sys.exit(0 if is_good else 1)


main()
