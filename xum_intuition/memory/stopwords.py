"""Words that say nothing about the task: function words of the languages that cues come in."""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also although always am among an and another any anybody
anyone anything are around as at away back be because been before being below between both but by
can cannot could did do does doing done down during each either else etc even ever every everybody
everyone everything few for from further get gets getting give given go goes going gone got had has
have having he her here hers herself him himself his how i if in instead into is it its itself just
keep keeps kept let like likely lot made make makes making many may maybe me might mine more most
much must my myself need needs neither never no nobody none nor not nothing now of off often on once
one only onto or other others our ours ourselves out over own per please put quite rather really
same seem seems shall she should since so some somebody someone something sometimes still such take
taken takes than that the their theirs them themselves then there these they thing things this those
though through thus till to together too toward under until up upon us use used uses using very via
want wanted wants was way we well went were what whatever when where whether which while who whom
whose why will with within without would yes yet you your yours yourself
don doesn didn isn wasn weren won wouldn couldn shouldn hasn haven hadn aren ain ll ve re
dont doesnt didnt isnt cant wont im ive id lets thats theres whats hello hi thanks thank
"""
_GERMAN = """
aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist
bitte da damit dann das dass daß dein deine dem den denn der des dessen die dies diese diesem diesen
dieser dieses doch dort du durch ein eine einem einen einer eines einfach er es etwas euch euer für
fur ganz gegen gibt hab habe haben hat hatte hier hin ich ihm ihn ihnen ihr ihre ihrem ihren im
immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinen können konnen
lass machen mal man mehr mein meine meinem meinen meiner mich mir mit muss müssen mussen nach nicht
nichts noch nun nur ob oder ohne schon sehr sein seine sich sie sind so soll sollen sondern um und
uns unser unsere unter vom von vor war waren warum was weil welche welcher welches wenn wer werden
wie wieder will wir wird wo worden wurde wurden zu zum zur zwischen über uber
"""
_FRENCH = """
ai ainsi alors après au aucun aussi autre autres aux avant avec avoir ça ce ceci cela celle celui
ces cet cette ceux chaque chez comme comment dans de des depuis deux dire dois doit donc du elle
elles en encore entre est et été être etre eux faire fais fait faut il ils je jusque la là le les
leur leurs lors lui ma mais me même meme mes mets moi moins mon ne ni nos notre nous on ont ou où
par parce pas peu peut peux plus pour pourquoi pouvez puis quand que quel quelle quelles quels qui
quoi sa sans se sera ses si son sont sous sur ta tandis te tes toi ton tous tout toute toutes très
tu un une va vais vers veux voici vos votre vous
"""
_SPANISH = """
al algo algún alguna ante antes aquí así aún aunque bien cada como cómo con cual cuál cuando cuándo
da dame de debe del desde donde dónde dos el él ella ellos en entonces entre era es esa ese eso esos
esta está estaba estado estas este esto estos fue ha haber hace hacer hacia han has hasta hay he haz
hice hoy la las le les lo los más mas me mi mis mismo mucho muy nada ni no nos nosotros nuestra
nuestro o otra otro otros para pero poco por porque pues puede puedo que qué quien quién quiero se
sea según ser si sí sido siempre sin sobre solo sólo son soy su sus también tan tanto te tengo ti
tiene todo todos tu tus un una uno unos usted va ya yo
"""
_OTHERS = """
ao aos as com da das dos e ela ele em essa esse eu foi isso já mais mas meu minha na nas não nem no
nos num ou para pela pelo por qual quando que quem se sem ser seu sua são só também tem um uma você
che ci come con cui da dal dalla dei del della delle di dove e gli ho il in io la le lo ma mi mio
nei nel nella non per perché più quale quando quello questa questo sono su sul sulla ti tra tutti un
una uno
aan als bij dan dat de deze die dit door een en er het hij hoe ik is je kan maar met mijn naar niet
nog of om ook op te tot uit van voor was wat we wel wie wordt zijn zo
а без более бы был была были было быть в вам вас весь во вот все всё всего всех вы где да даже для
до его ее её если есть ещё еще же за зачем и из или им их к как какая какие какой когда кто ли либо
меня мне может можно мой моя мы на над надо нам нас наш не него нее нельзя нет ни них но нужно о об
однако он она они оно от очень перед по под после потом потому почему при про раз с сам свой сделай
себе себя со так также такой там тебя то тогда тоже только том тот ту ты у уже хочу хотя чего чем
через что чтобы эта эти этим этими этих это этого этой этом этому этот эту
делать делай сделать я
"""

LANGUAGES = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
    "fr": frozenset(_FRENCH.split()),
    "es": frozenset(_SPANISH.split()),
}
"""The function words by which a language is told."""

STOP_WORDS = frozenset((_ENGLISH + _GERMAN + _FRENCH + _SPANISH + _OTHERS).split())

FILLER_CHARS = frozenset(
    "的了是在我你他她它们这那和与或把被吗呢吧啊也都就还很会能要可以之其该些么什怎请给让又再"
)
"""Chinese characters that carry grammar: an n-gram with one of them names nothing."""

IRREGULAR = {
    "built": "build", "ran": "run", "wrote": "write", "written": "write", "broke": "break",
    "broken": "break", "sent": "send", "found": "find", "lost": "lose", "shown": "show",
    "chosen": "choose", "chose": "choose", "thrown": "throw", "threw": "throw", "began": "begin",
    "hidden": "hide", "hid": "hide", "paid": "pay", "said": "say", "told": "tell", "left": "leave",
    "bought": "buy", "sold": "sell", "caught": "catch", "drew": "draw", "drawn": "draw",
    "held": "hold", "fell": "fall", "fallen": "fall", "stuck": "stick", "spent": "spend",
    "children": "child", "people": "person", "indices": "index", "repo": "repository",
    "repos": "repository", "config": "configure", "configs": "configure", "docs": "document",
    "documentation": "document", "db": "database", "env": "environment", "auth": "authenticate",
    "authentication": "authenticate", "pics": "picture", "pic": "picture", "app": "application",
    "apps": "application", "info": "information", "params": "parameter", "param": "parameter",
    "deps": "dependency", "dependencies": "dependency", "dir": "directory", "dirs": "directory",
    "directories": "directory", "admin": "administrator", "perms": "permission",
}  # fmt: skip
"""Irregular English forms and the short forms that programmers use."""
