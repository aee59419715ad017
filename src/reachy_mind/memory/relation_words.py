"""Words for people, pets and relatives in four languages, first names, and the pronouns that can stand for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from reachy_mind.memory.normalization import plain

Gender = Literal["she", "he", "they", "it", "any", "pet"]
"""Which pronouns fit: `any` is a person of either sex, `pet` an animal, `they` several, `it` a thing."""


@dataclass(frozen=True)
class Relation:
    """A relation by its English name. `single`: a person has only one, so that another name is a correction."""

    name: str
    gender: Gender
    single: bool = False


_TABLE = """
she  mother*: mother mum mom mummy mommy mama; mère maman; madre mamá; mutter mama
he   father*: father dad daddy papa; père papa; padre papá; vater papa
she  wife*: wife; femme épouse; mujer esposa; frau ehefrau
he   husband*: husband; mari époux; marido esposo; mann ehemann
she  girlfriend*: girlfriend; copine; novia; freundin
he   boyfriend*: boyfriend; copain; novio
any  fiancee*: fiancée fiancee fiancé fiance; ; prometida prometido; verlobte verlobter
any  partner*: partner; partenaire; pareja; partner
any  boss*: boss manager; chef patron; jefe jefa; chef chefin
she  sister: sister; sœur soeur; hermana; schwester
he   brother: brother; frère; hermano; bruder
she  daughter: daughter girl; fille; hija; tochter
he   son: son boy; fils; hijo; sohn
any  child: child kid baby toddler; enfant bébé; bebé; kind baby
she  aunt: aunt auntie aunty; tante tata; tía; tante
he   uncle: uncle; oncle tonton; tío; onkel
she  niece: niece; nièce; sobrina; nichte
he   nephew: nephew; neveu; sobrino; neffe
any  cousin: cousin; cousin cousine; primo prima; cousin cousine
she  grandmother: grandmother grandma granny gran nan nana; grand-mère mamie; abuela; großmutter oma
he   grandfather: grandfather grandpa granddad grandad gramps; grand-père papi; abuelo; großvater opa
she  granddaughter: granddaughter; petite-fille; nieta; enkelin
he   grandson: grandson; petit-fils; nieto; enkel
any  grandchild: grandchild; ; ; enkelkind
any  friend: friend mate buddy pal; ami amie; amigo amiga; freund
any  colleague: colleague coworker co-worker; collègue; colega; kollege kollegin
any  neighbour: neighbour neighbor; voisin voisine; vecino vecina; nachbar nachbarin
any  roommate: roommate flatmate housemate; colocataire; ; mitbewohner mitbewohnerin
any  teacher*: teacher; professeur prof maîtresse; profesor profesora maestro maestra; lehrer lehrerin
any  doctor*: doctor gp; médecin; médico médica; arzt ärztin
any  dentist*: dentist; dentiste; dentista; zahnarzt zahnärztin
they children: children kids; enfants; hijos niños; kinder
they neighbours: neighbours neighbors; voisins; vecinos; nachbarn
pet  dog: dog puppy; chien chienne; perro perra; hund hündin
pet  cat: cat kitten; chat chatte; gato gata; katze kater
pet  horse: horse; cheval; caballo; pferd
pet  bird: bird; oiseau; pájaro; vogel
she  =: mother-in-law sister-in-law stepmother stepdaughter stepsister half-sister godmother goddaughter landlady; belle-mère belle-soeur belle-sœur marraine; suegra cuñada madrina; schwiegermutter schwägerin
he   =: father-in-law brother-in-law stepfather stepson stepbrother half-brother godfather godson landlord; beau-père beau-frère parrain; suegro cuñado padrino; schwiegervater schwager
any  =: tutor coach nurse therapist carer cleaner lodger tenant student pupil babysitter nanny twin; élève; alumno alumna; schüler schülerin
they =: parents grandparents daughters sons twins grandchildren siblings brothers sisters friends colleagues cousins aunts uncles pets cats dogs chickens hens bees; frères sœurs amis chats chiens; padres hermanos hermanas amigos gatos perros; eltern großeltern geschwister brüder schwestern freunde katzen hunde
pet  =: pet pony donkey rabbit bunny hamster guinea-pig parrot budgie canary fish goldfish tortoise turtle snake lizard goat; animal lapin perroquet poisson tortue; mascota conejo loro pez tortuga; haustier pony hase kaninchen papagei fisch schildkröte
"""  # noqa: E501 -- a table
"""Gender, English name (with a star where there is only one; `=` where each word is a relation of its own): words."""


def _rows() -> Iterator[tuple[str, Relation]]:
    for line in _TABLE.strip().splitlines():
        head, _, words = line.partition(":")
        gender, name = head.split()
        for word in words.replace(";", " ").split():
            named = plain(word) if name == "=" else name.rstrip("*")
            yield plain(word), Relation(named, gender, single=name.endswith("*"))  # type: ignore[arg-type]


RELATIONS: dict[str, Relation] = {}
for _word, _relation in _rows():
    RELATIONS.setdefault(_word, _relation)

PRONOUNS: dict[str, tuple[Gender, ...]] = {
    "she": ("she", "any", "pet"), "he": ("he", "any", "pet"), "it": ("pet", "it"), "they": ("they", "any"),
    "her": ("she", "any", "pet"), "him": ("he", "any", "pet"), "his": ("he", "any", "pet"), "its": ("pet", "it"),
    "their": ("they", "any"), "them": ("they",),
    "elle": ("she", "any", "pet"), "il": ("he", "any", "pet"), "ils": ("they",), "elles": ("they",),
    "ella": ("she", "any", "pet"), "él": ("he", "any", "pet"), "ellos": ("they",), "ellas": ("they",),
    "\N{EMPTY SET}": ("she", "he", "any", "pet", "they", "it"),
    "sie": ("she", "they", "any", "pet"), "er": ("he", "any", "pet"), "es": ("pet", "it"),
}  # fmt: skip
"""The genders a pronoun can stand for, the likeliest first. The empty set is the subject that Spanish leaves out."""

_SHE = frozenset(
    """alice amelia amy anna anne ana carol charlotte chloe claire ella elsa emily emma eva eve grace hannah helen ines
    ingrid isla jane jo julie kate lea lena lily lisa lucy luise maria marie mary mia nora olivia paula rosa rose ruth
    sara sarah sofia sophie susan zoe agnes greta heidi carmen lucia ellen jean joan margaret ivy ida""".split()  # noqa: SIM905
)
_HE = frozenset(
    """adam alex andrew ben bob carl carlos charlie chris daniel david ed felix frank fred george hans harry henry hugo
    ian jack jacob jakob james jan jim joe john jonas josh juan leo liam louis luc lucas luis luke mark mateo matthew
    max michael mike noah oliver oscar otto pablo paul pedro pete peter pierre sam simon stefan steve theo thomas tim
    tom tomas will yusuf""".split()  # noqa: SIM905
)


@lru_cache(maxsize=2048)
def relation(word: str) -> Relation | None:
    """The relation a word names."""
    return RELATIONS.get(plain(word))


def gender_of_name(name: str) -> Gender:
    """Which pronoun a first name most likely has; `any` when it may be either."""
    first = plain(name).split(" ")[0]
    if first in _SHE:
        return "she"
    if first in _HE:
        return "he"
    return "any"
