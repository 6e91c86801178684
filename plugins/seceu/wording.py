"""Our own prompts: five promptings in two languages.

They keep the published answer forms (numbered options; JSON with name and score; worked
examples that take the points away step by step), and share no sentence with upstream.
"""

from collections.abc import Mapping

PROMPTINGS = ("direct", "zero-shot", "zero-shot-steps", "two-shot", "two-shot-steps")

_EN_DIRECT = """\
Story: {story}
Options: {options}

You have 10 points. Divide them among the four options by how strongly the person has each emotion \
at the end of the story. Zeros and fractions are allowed. Together the four numbers must make 10.

Answer in this form: (1) number; (2) number; (3) number; (4) number"""

_EN_TASK = """\
Below are a short story and four emotions. Judge how strongly the person in the story has each of \
the emotions at its end, in points from 0 to 10. Two rules hold: the points of the four emotions \
come to 10 together, and the answer is JSON with the name and the score of each emotion, in this \
form: {"Emotion": [{"name": "...", "score": ...}, ...]}"""

_EN_ASK = "Question: {story} Options: {options}. Divide 10 points among the four emotions."

_EN_EXAMPLES = (
    """\
Question: Odile has waited two years for a flat with a balcony. On moving day her neighbour of \
eleven years carries the last box down for her and hands her a cutting from the fern in the \
stairwell. Odile might feel: Options: (1) Wistful; (2) Glad; (3) Envious; (4) Grateful. Divide 10 \
points among the four emotions.
Steps: {lead}"Wistful" takes a score of 4, which leaves 6; "Glad" takes a score of 3, which leaves \
3; "Envious" takes a score of 0, which leaves 3; "Grateful" takes a score of 3, which leaves 0.
Answer: {"Emotion": [{"name": "Wistful", "score": 4}, {"name": "Glad", "score": 3}, \
{"name": "Envious", "score": 0}, {"name": "Grateful", "score": 3}]}""",
    """\
Question: Bram tells the table that he has stopped smoking, and his brother-in-law raises a glass \
to "this year's attempt". Everybody laughs, and Bram laughs too. He might feel: Options: (1) \
Proud; (2) Hurt; (3) Amused; (4) Determined. Divide 10 points among the four emotions.
Steps: {lead}"Proud" takes a score of 1, which leaves 9; "Hurt" takes a score of 5, which leaves \
4; "Amused" takes a score of 1, which leaves 3; "Determined" takes a score of 3, which leaves 0.
Answer: {"Emotion": [{"name": "Proud", "score": 1}, {"name": "Hurt", "score": 5}, \
{"name": "Amused", "score": 1}, {"name": "Determined", "score": 3}]}""",
)

_EN_LEAD = "Let us take one emotion after the other. "

_ZH_DIRECT = """\
故事：{story}
选项：{options}

你手里有10分。请按故事结尾时主人公各种情绪的强弱，把这10分分给四个选项。可以是0，也可以是小数，四个数加起来必须正好是10。

请照这个形式回答：(1) 分数；(2) 分数；(3) 分数；(4) 分数"""

_ZH_TASK = """\
下面有一个小故事和四种情绪。请判断故事结尾时主人公每种情绪有多强，用0到10分表示。要求有两条：四种情绪的分数合计为10；\
用JSON回答，写出每种情绪的名称和分数，形式如下：{"Emotion": [{"name": "...", "score": ...}, ...]}"""

_ZH_ASK = "问题：{story} 选项：{options}。请把10分分给这四种情绪。"

_ZH_EXAMPLES = (
    """\
问题：苏岚等了两年，终于等到一套带阳台的房子。搬家那天，做了十一年邻居的罗阿姨帮她把最后一个箱子搬下楼，\
又塞给她一盆从楼道那株绿萝上剪下来的小苗。苏岚可能会觉得： \
选项：(1) 不舍；(2) 高兴；(3) 嫉妒；(4) 感激。请把10分分给这四种情绪。
步骤：{lead}“不舍”得4分，还剩6分；“高兴”得3分，还剩3分；“嫉妒”得0分，还剩3分；“感激”得3分，还剩0分。
回答：{"Emotion": [{"name": "不舍", "score": 4}, {"name": "高兴", "score": 3}, \
{"name": "嫉妒", "score": 0}, {"name": "感激", "score": 3}]}""",
    """\
问题：聚餐时，郭磊对大家说自己戒烟了。姐夫举起杯子说：“来，敬今年这一次。”\
一桌人都笑了，郭磊也跟着笑。他可能会觉得： \
选项：(1) 自豪；(2) 难堪；(3) 好笑；(4) 坚定。请把10分分给这四种情绪。
步骤：{lead}“自豪”得1分，还剩9分；“难堪”得5分，还剩4分；“好笑”得1分，还剩3分；“坚定”得3分，还剩0分。
回答：{"Emotion": [{"name": "自豪", "score": 1}, {"name": "难堪", "score": 5}, \
{"name": "好笑", "score": 1}, {"name": "坚定", "score": 3}]}""",
)

_ZH_LEAD = "我们一种一种情绪来看。"


def _few(examples: tuple[str, ...], ask: str, end: str, lead: str) -> str:
    shown = (example.replace("{lead}", lead) for example in examples)
    return "\n\n".join([*shown, f"{ask}\n{end}{lead}".rstrip()])


#: Templates by language and prompting, with ``{story}`` and ``{options}`` to be filled in.
WORDING: Mapping[str, Mapping[str, str]] = {
    "en": {
        "direct": _EN_DIRECT,
        "zero-shot": f"{_EN_TASK}\n\n{_EN_ASK}\nAnswer:",
        "zero-shot-steps": f"{_EN_TASK}\n\n{_EN_ASK}\nGo step by step, and end with the JSON.",
        "two-shot": _few(_EN_EXAMPLES, _EN_ASK, "", ""),
        "two-shot-steps": _few(_EN_EXAMPLES, _EN_ASK, "Steps: ", _EN_LEAD),
    },
    "zh": {
        "direct": _ZH_DIRECT,
        "zero-shot": f"{_ZH_TASK}\n\n{_ZH_ASK}\n回答：",
        "zero-shot-steps": f"{_ZH_TASK}\n\n{_ZH_ASK}\n请一步一步地想，最后给出JSON。",
        "two-shot": _few(_ZH_EXAMPLES, _ZH_ASK, "", ""),
        "two-shot-steps": _few(_ZH_EXAMPLES, _ZH_ASK, "步骤：", _ZH_LEAD),
    },
}
