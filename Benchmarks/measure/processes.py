"""The processes under measurement: started, timed, weighed, stopped."""

import http.client
import os
import select
import signal
import subprocess
import time


def resident_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def tail(log):
    """The end of a log, whose folder is removed with the benchmark's."""
    with open(log, encoding="utf-8", errors="replace") as file:
        return file.read()[-2000:]


class Running:
    """A program that prints one line when it is ready. Stopped by its own process id."""

    def __init__(self, command, log, **environment):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("WALLETAUTH_")}
        self.began = time.perf_counter()
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**kept, **environment}
            )
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        self.line = self.process.stdout.readline().strip() if ready else ""
        if not self.line:
            self.stop()
            raise SystemExit(f"{command[0]} did not come up:\n{tail(log)}")

    def first_answer_ms(self, port, path):
        """From starting the process to the end of its first answer."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        elapsed = (time.perf_counter() - self.began) * 1000
        if answer.status != 200:
            raise SystemExit(f"{path} answered {answer.status}")
        return elapsed

    def resident_mb(self):
        return resident_mb(self.process.pid)

    def open_files(self):
        """How many files and connections the process has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self):
        """What the process has had of the processors, in steps of a hundredth."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as status:
            fields = status.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
