"""What gets released: sdist and wheel hold what is needed and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import files
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# What the repository has and a build from the sdist does not need.
LEFT_OUT = (".ci/", ".github/", ".gitignore", ".pre-commit-config.yaml")
BUILD_SDIST = (
    "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
)


@pytest.mark.slow
def test_the_sdist_has_what_the_repository_has(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("this is no checkout")
    subprocess.run([sys.executable, "-c", BUILD_SDIST, str(tmp_path)], cwd=ROOT, check=True)
    [archive] = tmp_path.glob("medir-*.tar.gz")
    with tarfile.open(archive) as sdist:
        members = {member.name.partition("/")[2] for member in sdist.getmembers()}
    kept = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    wanted = {name for name in kept if not name.startswith(LEFT_OUT)}
    assert members - {"PKG-INFO", ".gitignore"} == wanted


def test_the_wheel_has_the_package_and_nothing_else() -> None:
    found = [file.as_posix() for file in files("medir") or []]
    if any("_editable" in name for name in found):
        pytest.skip("this is the developers' install")
    others = {name for name in found if not re.match(r"medir(-[\d.]+\.dist-info)?/", name)}
    assert {Path(name).stem for name in others} <= {"medir"}  # the command
    package = {name for name in found if name.startswith("medir/") and ".pyc" not in name}
    cores = {name for name in package if re.match(r"medir/_core\..*(so|pyd)$", name)}
    assert len(cores) == 1
    source = ROOT / "src"
    assert package - cores == {
        path.relative_to(source).as_posix()
        for path in (source / "medir").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def workflow(name: str) -> dict[str, Any]:
    """A workflow of GitHub's."""
    yaml = pytest.importorskip("yaml")
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    jobs: dict[str, Any] = yaml.safe_load(text)["jobs"]
    return jobs


@pytest.mark.skipif(not (ROOT / ".github").is_dir(), reason="the sdist has no workflows")
def test_workflows_keep_what_the_docs_say() -> None:
    tested = workflow("test")["test"]["strategy"]["matrix"]
    assert tested["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert [system.split("-")[0] for system in tested["system"]] == ["ubuntu", "macos", "windows"]
    release = workflow("release")
    assert set(release["publish"]["needs"]) == {"test", "sdist", "wheels"}
    actions = [step.get("uses", "").partition("@")[0] for step in release["publish"]["steps"]]
    assert "pypa/gh-action-pypi-publish" in actions
    assert {"actions/attest-build-provenance", "actions/attest-sbom"} <= set(actions)


def test_one_wheel_serves_all_versions_from_the_first_that_can() -> None:
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert "cp312-*" in PROJECT["tool"]["cibuildwheel"]["build"]


def test_pages_have_one_order() -> None:
    """That of the navigation, in the README and on the first page; how to install comes first."""
    site = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("## More")[2]
    front = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert site[:3] == ["index.md", "install.md", "tutorial.md"]
    assert re.findall(r"\]\(docs/([\w-]+\.md)\)", readme) == site[1:]
    assert re.findall(r"\]\(([\w-]+\.md)\)", front) == site[1:]
    assert sorted(site) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))
