"""Type-checks the SwiftUI and UIKit recipes of Docs/Recipes against the built libraries, where neither framework exists.

    type_check.py BUILD_FOLDER FOLDER

BUILD_FOLDER is what `swift build --show-bin-path` prints. Tests/Recipes/Stubs declares what the recipes use of the two
frameworks. FOLDER gets the recipes and compiled modules.
"""

import pathlib
import re
import subprocess
import sys

import symbol_graphs

PROJECT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = re.compile(r"<!-- recipe: (\w+)\.swift -->\n```swift\n(.*?)^```\n", re.M | re.S)


def main():
    build, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    recipes = dict(RECIPE.findall((PROJECT / "Docs/Recipes/README.md").read_text()))
    for name in ("SwiftUI", "UIKit"):
        recipe = folder / f"{name}.swift"
        recipe.write_text(recipes[name])
        subprocess.run(
            ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library",
             "-module-cache-path", folder / "modules", "-I", PROJECT / "Tests/Recipes/Stubs", "-I", build / "Modules",
             *symbol_graphs.module_maps(build), recipe, PROJECT / "Tests/Recipes/ReviewsAPI.swift"], check=True)
        print(f"{name}: {len(recipes[name].splitlines())} lines are right")


if __name__ == "__main__":
    main()
