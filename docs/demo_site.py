"""Makes a site of demo models, marked DEMO, and of it the two pictures of the README.

python docs/demo_site.py                # the site, in site/ (not committed)
python docs/demo_site.py --pictures     # and docs/board.png, docs/report.png, by Chromium
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "site"
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
            "--disable-background-networking", "--force-color-profile=srgb")  # fmt: skip
BENCHMARKS = ("eqbench-v1", "seceu", "eqbench3")
MODELS = [(model, seed) for seed in (1, 2) for model in ("weak", "medium", "strong")]


def bench(folder: Path, *arguments: str) -> None:
    """Run a command in a folder where nothing is configured."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}
    environment = kept | {"HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    command = [str(Path(sys.executable).with_name("bench")), *arguments]
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def build(site: Path, report: Path | None) -> None:
    """Six demo models on three benchmarks, their site, and a report of one run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for model, seed in MODELS:
            words = ("--model", f"demo/{model}", "--name", f"{model}-{seed}", "--seed", str(seed))
            bench(folder, "run", *BENCHMARKS, *words, "--judge", "demo/judge")
        bench(folder, "site", "-o", str(site))
        if report:
            bench(folder, "report", "strong-2", "--benchmark", "eqbench3", "-o", str(report))


def picture(page: Path, file: Path, height: int) -> None:
    """A page as a picture, 1280 pixels wide."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
    command = [browser, *CHROMIUM, f"--window-size=1280,{height}", f"--screenshot={file}"]
    subprocess.run([*command, page.as_uri()], check=True, capture_output=True)


def main() -> None:
    """Read the options, and make it."""
    parser = argparse.ArgumentParser(description="Makes a site of demo models.")
    parser.add_argument("-o", "--output", type=Path, default=SITE)
    parser.add_argument("--pictures", action="store_true")
    given = parser.parse_args()
    site = given.output.resolve()
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.html"
        build(site, report if given.pictures else None)
        if given.pictures:
            (board,) = site.glob("boards/eqbench3*.html")
            picture(board, ROOT / "docs" / "board.png", 860)
            picture(report, ROOT / "docs" / "report.png", 1000)
    print(f"{given.output}/index.html")


if __name__ == "__main__":
    main()
