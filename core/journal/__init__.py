"""The journal: one SQLite file that holds every reply before anyone sees it."""

from .batches import OpenBatch as OpenBatch
from .board_cache import CachedResult as CachedResult
from .locks import RunLock as RunLock
from .locks import network_file_system as network_file_system
from .records import AskedParties as AskedParties
from .records import CallKey as CallKey
from .records import CallTotals as CallTotals
from .records import CutOff as CutOff
from .records import Failure as Failure
from .records import GradeCount as GradeCount
from .records import LongReplies as LongReplies
from .records import LongReply as LongReply
from .records import OddOpening as OddOpening
from .records import OtherProviders as OtherProviders
from .records import PartyAsking as PartyAsking
from .records import PersonLabel as PersonLabel
from .records import ReplySource as ReplySource
from .records import RunRecord as RunRecord
from .records import StoredCall as StoredCall
from .records import StoredComparison as StoredComparison
from .store import Journal as Journal
