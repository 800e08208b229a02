"""What gives requests to several servers: HAProxy, with its files in a temporary folder."""

import os
import select
import shutil
import subprocess
import time
import urllib.error
import urllib.request

from narrator import Failed
from programs import PATIENCE, free_port

# docs/postgresql.md explains each line.
HAPROXY = """
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    timeout check 5s
    retries 2
    option redispatch 1
frontend wallet
    bind 127.0.0.1:{port}
    http-request set-header X-Forwarded-For %[src]
    http-request set-header X-Forwarded-Proto http
    http-request del-header Forwarded
    default_backend servers
backend servers
    balance roundrobin
    option httpchk
    http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host 127.0.0.1
    http-check expect status 200
    default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
    server one 127.0.0.1:{one}
    server two 127.0.0.1:{two}
"""


class HAProxy:
    """One address for two servers; asks each of them twice a second whether it is ready."""

    def __init__(self, folder):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.configuration = os.path.join(folder, "haproxy.cfg")
        self.log = os.path.join(folder, "haproxy.log")
        self.process = None

    def start(self, one, two):
        with open(self.configuration, "w", encoding="ascii") as file:
            file.write(HAPROXY.format(port=self.port, one=one, two=two))
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [program, "-db", "-f", self.configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed("HAProxy did not come up")
            select.select([], [], [], 0.05)

    def answers(self):
        try:
            with urllib.request.urlopen(self.url + "/health/ready", timeout=PATIENCE):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None
