"""What an author of a benchmark writes: `Benchmark`, its options and its roles, what it measures.

`base` is what every benchmark says of itself, `abilities` what only some can do, and `model` how
either asks; `generators` is for those that make data.
"""

from ..reading.packs import Pack as Pack
from ..reading.packs import PackSource as PackSource
from .base import Benchmark as Benchmark
from .model import Model as Model
from .options import PLACEMENT_OPTIONS as PLACEMENT_OPTIONS
from .options import Option as Option
from .options import Options as Options
from .options import PlacementOptions as PlacementOptions
