"""Emotion words by class, by meaning alone: what a guesser could know without a scene.

A word belongs to the first class one of whose stems it begins with; what begins with none is
"other", mostly vulnerable feelings. English, German and Chinese.
"""

_STEMS = {
    "hostile": "accusatory anger angry annoy arrogan bitter condescen contempt defian disapprov "
    "disdain disgust dismissive enrag envious envy exasper fur gloat grudg hostil impatien "
    "indigna irrita jealous judgmental malic mischief mock offen outrag patronis provok rage "
    "rancour rebellious repel repuls resent revuls robbed schadenfr scorn self-import smug spite "
    "superior unapolog vain vanit vengeful vindict "
    "abweisend angewid anklagend arrogan beleidigt eifersücht empör feindsel gehässig gereizt "
    "genervt groll hämisch herablass neid provoziert rachsücht rebell selbstgefäll selbstzufr "
    "spöttisch trotz überheb überlegen ungeduldig urteilend veracht verächt verärger verbitter wut "
    "wüt ärger "
    "不甘 厌烦 恼火 愤怒 懊恼 气愤 羡慕 嫉妒 轻蔑 得意",
    "triumph": "elat exult glee jubil justified powerful triumph victor vindicat "
    "gerechtfertigt siegreich triumph",
    "apathy": "apath bored calm complacen detach disinterest indifferen neutral nonchalan peace "
    "resign seren unfazed uninterest unperturb "
    "apath desinteress distanziert gelangweilt gleichgült neutral resign ruhig unbeeindruckt 无奈",
    "warm": "accept admir affection amaze amus apprec astonish attract carefree cheerful close "
    "comfort compassion confiden consol content curio delight devot eager empath excit fond free "
    "forgiv grat happ hope impressed included joy kind lov mirth moved overjoy patien playful "
    "pleased pride proud reassur relie respect satisf secur sympath tender thank thrill touch "
    "trust warm "
    "angetan amüs befreit begeister belustigt berührt besänft bewunder dankbar einfühl erfreut "
    "ergriff erleichter freud fröhl gerührt geschmeich hocherfreut hoffnung interessiert mitfühl "
    "mitleid nachsicht neugier respekt stolz überglückl verständnis wohlwoll zärtl zufrieden "
    "zuneig zuversicht "
    "好奇 好笑 安心 开心 心软 感动 感激 欣慰 温暖 满意 自豪 轻松 释然 高兴",
}
STEMS = {name: tuple(stems.split()) for name, stems in _STEMS.items()}
HARD = ("hostile", "triumph", "apathy")
"""The classes that a kindly guesser would rate low."""


def class_of(word: str) -> str:
    """The class of an emotion word, in any case."""
    folded = word.casefold()
    return next((name for name, stems in STEMS.items() if folded.startswith(stems)), "other")
