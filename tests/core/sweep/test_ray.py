"""A sweep on a Ray cluster of three nodes on this machine; only `-m ray`, with Ray installed.

Ray listens on all interfaces without authentication, so give it a network namespace of its own:
`unshare --net --map-root-user sh -c 'ip link set lo up; .venv/bin/pytest -m ray'`.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.core.sweep.test_sweep import requests, served, sweep_toml

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
BENCH = (sys.executable, "-c", "import sys; from eibench.core.cli import main; sys.exit(main())")


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head and two nodes, which are ended by their process ids."""
    utils = pytest.importorskip("ray.cluster_utils", reason="Ray is not installed")
    made = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    try:
        yield made
    finally:
        made.shutdown()


def sweep(folder: Path, *args: str, **env: str) -> "subprocess.Popen[str]":
    """A sweep in a process of its own."""
    command = [*BENCH, "sweep", "sweep.toml", "--json", *args]
    return subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **env},
    )  # fmt: skip


def scores(out: str) -> dict[tuple[str, str], Any]:
    """All metrics by model and benchmark."""
    return {
        (model["name"], run["benchmark"]): run["metrics"]
        for model in json.loads(out)["models"]
        for run in model["runs"]
    }


def test_a_node_and_the_head_die_half_way(tmp_path: Path, cluster: Any) -> None:
    """Six models, two benchmarks: as a local sweep to the digit, nothing asked twice, none left."""
    nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
    logs = {where: tmp_path / where / "log" for where in ("ray", "local")}
    for log in logs.values():
        log.parent.mkdir()
        models = (served(f"m@{n}", n, log).replace("--seed", "--latency 0.2 --seed")
                  for n in range(1, 7))  # fmt: skip
        sweep_toml(log.parent, "[machine]\nmemory_gb = 3\n" + "".join(models))
    address = {"RAY_ADDRESS": cluster.address}
    head = sweep(tmp_path / "ray", "--on", "ray", **address)
    wait_for(logs["ray"], 8)
    cluster.remove_node(nodes[0], allow_graceful=False)
    wait_for(logs["ray"], 20)
    head.send_signal(signal.SIGKILL)
    head.communicate()
    once_more = sweep(tmp_path / "ray", "--on", "ray", **address)
    out, err = once_more.communicate(timeout=300)
    assert once_more.returncode == 0, err
    local = sweep(tmp_path / "local")
    expected, err = local.communicate(timeout=300)
    assert local.returncode == 0, err
    assert scores(out) == scores(expected)
    asked, plain = requests(logs["ray"]), requests(logs["local"])
    assert set(asked) == set(plain)
    assert len(asked) - len(plain) <= 6 * 8, "at most what was in flight when something died"
    end = time.monotonic() + 60
    while left := servers(tmp_path):
        assert time.monotonic() < end, left
        time.sleep(0.2)


def servers(folder: Path) -> str:
    """The processes that serve models for a test."""
    words = ["pgrep", "-fa", f"requests-log {folder}"]
    return subprocess.run(words, capture_output=True, text=True).stdout


def wait_for(log: Path, count: int) -> None:
    """Wait until so many requests were answered."""
    end = time.monotonic() + 120
    while len(requests(log)) < count:
        assert time.monotonic() < end
        time.sleep(0.05)
