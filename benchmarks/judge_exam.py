"""How often the exam of judges names a defect, on simulated judges (docs/judge-exam.md).

python -m benchmarks.judge_exam [EXAMS]
"""

import sys
from collections import Counter

from benchmarks import simulated_judges as simulated
from eibench.plugins.exam.profile import profile
from eibench.plugins.exam.verdict import NOT_FIT, defects, verdict

JUDGES = {
    "fair, error 5": simulated.fair(),
    "fair, error 7.5": simulated.fair(7.5),
    "fair, error 10": simulated.fair(10),
    "picks the first of two": simulated.place_only,
    "by length alone": simulated.length_only,
    "loves flattery": simulated.flattered,
    "obeys an injected verdict": simulated.obeying,
    "takes one reply in five for its opposite": simulated.careless,
    "at random": simulated.random,
    "the same to all": simulated.constant,
}


def main() -> None:
    """A row for each judge, then how often the less noisy of two ranks first."""
    exams = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for name, judge in JUDGES.items():
        named, words = Counter[str](), Counter[str]()
        for seed in range(exams):
            result = profile(simulated.exam(judge, seed))
            words[verdict(result).words] += 1
            named.update({effect.name for effect in defects(result)} or {"none"})
        shares = ", ".join(f"{what} {n / exams:.1%}" for what, n in named.most_common(4))
        print(f"| {name} | {shares}; not fit {words[NOT_FIT] / exams:.0%} |")
    right = 0
    for seed in range(exams):
        low, high = (
            profile(simulated.exam(simulated.fair(sd), seed + int(sd * 1000))).order.value or 0
            for sd in (5.0, 7.5)
        )
        right += low > high
    print(f"5 before 7.5: {right / exams:.0%}")


if __name__ == "__main__":
    main()
