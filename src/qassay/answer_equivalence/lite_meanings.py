"""Words and names that rules read: other words for one thing, first names, titles; from general knowledge of English."""

from collections.abc import Iterator
from functools import cache

# Groups of words that mean the same beside equal words ("fell in battle", "killed in battle"): base forms and irregular ones. A word
# may be in several groups.
_GROUPS_ALIKE = """
anyone anybody everyone everybody people person persons, someone somebody, nobody none, adult grownup,
older over above, younger under below, beneath underneath, behind after, near close beside,
around about roughly approximately, across throughout, close shut, open unlock,
kill killed die died dead slain fall fell fallen perish, murder assassinate, hang hanged, drown drowned,
begin began begun start commence, end finish conclude terminate cease, stop halt, continue proceed persist,
keep kept retain, get got obtain acquire gain receive, give gave given donate, lend lent loan, buy bought purchase,
sell sold, build built construct erect, make made create produce manufacture, destroy demolish ruin wreck,
break broke broken shatter, repair fix mend, improve enhance, damage harm, hurt injure wound, heal cure,
help assist aid, hinder impede, prevent avert, allow permit let, forbid forbade prohibit ban banned, order command,
ask inquire enquire, answer reply respond, speak spoke talk, tell told inform, say said state, shout yell cry,
whisper murmur, explain clarify, describe depict, promise vow swear pledge, lie deceive, hide hid hidden conceal,
reveal disclose expose uncover, discover find found detect, seek sought search, look gaze, see saw seen spot notice,
watch observe, hear heard, think thought believe, guess suppose, understand understood comprehend grasp, know knew,
learn learnt, teach taught instruct educate, remember recall, forget forgot, choose chose chosen select pick,
refuse decline reject, accept approve, agree consent, argue quarrel dispute, fight fought battle, attack assault,
defend protect guard, win won triumph, beat defeat, lose lost, surrender capitulate, escape flee fled,
leave left depart, arrive reach, follow pursue chase, catch caught capture seize, release free,
carry bear transport convey, bring brought fetch, send sent dispatch ship, throw threw thrown hurl toss, push shove,
pull drag tug, lift raise hoist, climb ascend, run ran sprint, travel journey, wander roam, move relocate, hurry rush,
sleep slept, wake woke awaken, eat ate eaten consume, drink drank drunk, wear wore, dress clothe, wash clean,
cut sever, freeze froze frozen, shine shone glow, explode detonate burst, grow grew grown, shrink shrank contract,
increase rise rose risen climb, decrease fall decline diminish, expand widen enlarge, reduce lower lessen,
replace substitute, change alter modify, turn rotate spin spun, divide split, join unite merge combine, mix blend,
attach fasten, connect link, contain include comprise, need require, want desire wish, love adore, like enjoy,
hate loathe detest despise, fear dread, marry wed, raise rear, appoint nominate name, resign quit, dismiss fire sack,
hire employ recruit, rule govern reign, lead led head, manage run, control regulate, own possess,
steal stole stolen rob, cheat swindle, arrest detain, accuse charge, imprison jail, execute behead,
exile banish expel deport, invent devise, draw drew drawn sketch, write wrote written pen, sing sang sung,
play perform, record tape, film shoot, print publish, copy imitate, calculate compute, test examine,
investigate probe, mourn grieve, smile grin, weep wept cry, bury buried, shake shook, tremble shiver,
gather collect assemble, scatter disperse spread, store stockpile, save rescue, waste squander, spend spent,
happen occur, appear emerge, disappear vanish, remain stay, become became, cause bring, produce yield generate,
crash collide, sink sank sunk, fly flew flown, drive drove driven, ride rode ridden, swim swam,
house home dwelling residence, apartment flat, hut cabin shack, castle fortress, prison jail gaol, shop store,
factory plant, farm ranch, road street, path trail track, motorway highway freeway expressway, railway railroad,
pavement sidewalk, lift elevator, lorry truck, boat ship vessel, aeroplane airplane plane aircraft, car automobile,
bus coach, tram streetcar, bicycle bike, motorcycle motorbike, luggage baggage, petrol gasoline gas, tap faucet,
torch flashlight, lamp light, rubbish trash garbage, forest wood woods, hill mound, mountain mount peak, cave cavern,
swamp marsh bog, stream brook creek, sea ocean, coast shore seashore, island isle, storm tempest, rain rainfall,
hurricane typhoon, earthquake quake, fog mist, autumn fall, gravity gravitational, stone rock, soil earth dirt,
gem jewel, gold golden, wood wooden, wool woollen woolen, animal beast creature, dog hound, pig hog swine,
hen chicken, rooster cock, cattle cows, snake serpent, insect bug, prawn shrimp, flower blossom bloom, leaf foliage,
corn maize, aubergine eggplant, courgette zucchini, coriander cilantro, sweets candy, biscuit cookie, crisps chips,
supper dinner, feast banquet, drink beverage, doctor physician, chemist pharmacist,
lawyer attorney solicitor barrister, judge magistrate, policeman cop officer, soldier trooper, sailor seaman mariner,
pilot aviator, teacher instructor schoolteacher tutor, pupil student, scientist researcher, author writer novelist,
journalist reporter, actor performer, singer vocalist, painter artist, film movie picture, play drama, poem verse,
song tune, picture image, photo photograph, statue sculpture, fisherman angler, shoemaker cobbler, carpenter joiner,
shopkeeper merchant trader, salesman seller vendor, buyer purchaser customer, boss employer,
worker employee labourer laborer, maid housemaid, owner proprietor, king monarch sovereign ruler, leader chief head,
chairman chairperson, ambassador envoy, thief robber burglar, murderer killer assassin, criminal felon crook,
prisoner inmate captive, enemy foe adversary, rival opponent competitor, friend pal buddy companion,
neighbour neighbor, guest visitor, child kid youngster, baby infant, boy lad, girl lass, teenager adolescent,
woman lady, father dad daddy, mother mum mom mummy mommy, grandfather grandpa granddad, grandmother grandma granny,
aunt auntie, ancestor forefather forebear, descendant offspring, illness disease sickness ailment, injury wound,
pain ache, poison toxin, medicine medication drug, surgery operation, stomach belly tummy, heart cardiac,
kidney renal, lung pulmonary, liver hepatic, tooth dental, sight vision eyesight, war warfare, battle combat action,
weapon arm, gun firearm, treaty pact accord agreement, truce ceasefire armistice,
revolt rebellion uprising insurrection, election vote ballot, law statute, rule regulation, tax levy, money cash,
salary wage pay, price cost, gift present, prize award, fortune wealth, company firm business corporation,
job occupation profession, holiday vacation, trip journey voyage, game match, contest competition, football soccer,
referee umpire, champion winner victor, university college, lesson class, exam examination test, church chapel,
priest clergyman, ghost spirit phantom, devil satan, heaven paradise, error mistake, fault blame, accident mishap,
crime offence offense, danger peril hazard, luck fortune, fear terror, anger rage fury wrath, joy delight happiness,
sorrow sadness grief, courage bravery, honour honor, lie falsehood, idea notion, plan scheme,
result outcome consequence, purpose aim, way manner, kind sort type, part piece portion, whole entire,
amount quantity, shape form, edge border boundary frontier, middle centre center, top summit, beginning outset,
hole gap opening, line row queue, big large huge enormous great giant gigantic, small little tiny minute, short brief,
long lengthy, wide broad, thin slim slender, fat obese overweight, fast quick rapid swift speedy,
old ancient elderly aged, young youthful, modern contemporary, usual common ordinary typical, rare uncommon scarce,
strange odd weird peculiar, famous renowned celebrated, unknown anonymous nameless, rich wealthy affluent,
poor impoverished, cheap inexpensive, expensive costly, empty vacant, cold chilly, wet damp moist, dry arid,
dirty filthy, strong powerful mighty, weak feeble, brave courageous, afraid scared frightened, shy timid,
clever smart intelligent bright, stupid foolish dumb, mad insane crazy, happy glad cheerful, sad unhappy,
tired weary exhausted, hungry starving, ill sick unwell, blind sightless, bald hairless, naked nude,
drunk intoxicated, alone solitary, beautiful pretty lovely, bad evil, easy simple, difficult hard tough,
dangerous hazardous unsafe, safe secure, false untrue, right correct, wrong incorrect, real genuine authentic,
fake counterfeit forged, legal lawful, illegal unlawful, main chief principal primary, holy sacred, cruel brutal,
round circular, flat level, curved bent, bright luminous, loud noisy, quiet silent, noise sound, grey gray,
annual yearly, often frequently, seldom rarely, now currently, quickly rapidly swiftly, suddenly abruptly,
nearly almost, only solely, noon midday, dawn sunrise daybreak, dusk sunset nightfall
"""
# Frequent first names in English that are neither other words nor places.
_FIRST_NAMES = """
james robert michael william richard joseph thomas charles christopher daniel matthew anthony donald steven andrew
paul joshua kenneth kevin brian timothy ronald jason edward jeffrey ryan jacob nicholas gary eric jonathan stephen
larry justin scott brandon benjamin samuel gregory raymond alexander patrick dennis jerry tyler aaron henry adam
nathan zachary walter kyle harold carl jeremy keith roger gerald ethan arthur sean noah jesse joe bryan billy bruce
albert willie gabriel alan juan ralph roy eugene randy philip harry vincent bobby johnny bradley craig todd curtis
derek marcus joel fred ernest alfred oscar hugh graham simon neil ian stuart nigel colin trevor geoffrey barry ben tom
tim jim sam mike steve dave chris nick tony patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa
nancy betty sandra margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura
sharon cynthia kathleen amy angela shirley anna brenda pamela emma nicole samantha katherine catherine christine debra
rachel carolyn janet maria diane ruth julie joyce kelly lauren christina joan evelyn judith megan andrea cheryl hannah
jacqueline martha teresa ann sara kathryn janice alice doris julia judy sophia denise danielle marilyn beverly
isabella theresa natalie brittany kayla alexis lori whitney courtney lindsay tiffany erin kate katie lucy jane helen
ellen dorothy ethel edith agnes irene rita joanna sally wendy tracy john david george peter abraham isaac edwin
herbert clarence leonard anne eleanor louise caroline alison clare
"""
_TITLE_LINE = (
    "king queen prince princess duke earl count baron lord lady sir pope saint captain general president emperor"
)


def _forms(word: str) -> Iterator[str]:
    """A word and its regular forms."""
    yield word
    if len(word) > 2:
        stem = word[:-1] if word.endswith("e") else word
        if word.endswith("y") and word[-2] not in "aeiou":
            yield from (f"{word[:-1]}ies", f"{word[:-1]}ied", f"{word}ing")
        else:
            yield from (f"{word}s", f"{word}es", f"{stem}ed", f"{stem}ing")
            yield from (f"{word}{word[-1]}ed", f"{word}{word[-1]}ing")


@cache
def _groups_by_word() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(_GROUPS_ALIKE.split(",")):
        words = group.split()
        for word in words if len(words) > 1 else ():
            for form in _forms(word):
                found.setdefault(form, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def words_alike(word: str) -> frozenset[int]:
    """The numbers of the groups of words of one meaning that a word is in."""
    return _groups_by_word().get(word, frozenset())


FIRST_NAMES = frozenset(_FIRST_NAMES.split())
TITLES_BEFORE_NAMES = frozenset(_TITLE_LINE.split())
