"""What the camera can recognise, in the words of four languages: "la tasse rouge" is a red cup.

Only names that the detectors know are read. Another word is not guessed at.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from reachy_mind.brains.word_lists import spaced
from reachy_mind.eyes.colours import canonical_colour
from reachy_mind.eyes.object_names import KINDS, KNOWN, PEOPLE, canonical
from reachy_mind.models.wordpiece import without_accents

MOST_WORDS = 6


class NamedThing(NamedTuple):
    """A thing by the detectors' name for it; `colour` is empty unless it was said."""

    name: str
    colour: str = ""


def _table(text: str) -> dict[str, str]:
    """Lines of "english: word, word": each word to its English name."""
    pairs = (line.split(":") for line in text.strip().splitlines())
    return {word.strip(): english.strip() for english, words in pairs for word in words.split(",")}


_TRANSLATED = {
    "fr": _table(
        """
        person: personne, personnes, gens, quelqu'un, visage, visages, homme, femme, enfant, enfants
        person: monde, moi, nous
        cup: tasse, tasses, mug, gobelet
        bottle: bouteille, bouteilles
        wine glass: verre, verres
        apple: pomme, pommes
        banana: banane, bananes
        orange: orange, oranges
        croissant: croissant, croissants
        duck: canard, canards
        ball: balle, balles, ballon, ballons
        cat: chat, chats, chaton
        dog: chien, chiens
        bird: oiseau, oiseaux
        book: livre, livres
        phone: telephone, telephones, portable
        chair: chaise, chaises
        laptop: ordinateur, ordinateurs
        keyboard: clavier
        mouse: souris
        box: boite, boites, cube
        car: voiture, voitures
        teddy bear: ours en peluche, peluche
        plant: plante, plantes, fleur, fleurs
        clock: horloge, pendule
        fork: fourchette
        knife: couteau
        spoon: cuillere
        bowl: bol, bols
        cake: gateau
        scissors: ciseaux
        fruit: fruit, fruits
        animal: animal, animaux
        toy: jouet, jouets
        person: fille, fils, mari, mere, pere, maman, papa, frere, soeur, ami, amie, copain, copine, chef, bebe, voisin
        person: voisine, collegue, grand-mere, grand-pere, mamie, papi
        sandwich: sandwich, sandwichs
        pizza: pizza
        umbrella: parapluie
        backpack: sac a dos
        handbag: sac, sac a main
        box: colis, paquet
        sofa: canape
        television: television, tele
        bicycle: velo, velos
        bus: bus
        truck: camion, camions
        carrot: carotte, carottes
        vase: vase
        remote: telecommande
        """
    ),
    "es": _table(
        """
        person: persona, personas, gente, alguien, cara, caras, hombre, mujer, nino, nina, ninos, rostro, mi, nosotros
        cup: taza, tazas, vaso, vasos
        bottle: botella, botellas
        wine glass: copa, copas
        apple: manzana, manzanas
        banana: platano, platanos, banana, bananas
        orange: naranja, naranjas
        croissant: cruasan, croissant
        duck: pato, patos, patito
        ball: pelota, pelotas, balon, bola
        cat: gato, gatos
        dog: perro, perros
        bird: pajaro, pajaros
        book: libro, libros
        phone: telefono, telefonos, movil, celular
        chair: silla, sillas
        laptop: ordenador, computadora, portatil
        keyboard: teclado
        mouse: raton
        box: caja, cajas, cubo
        car: coche, coches, carro
        teddy bear: oso de peluche, osito
        plant: planta, plantas, flor, flores
        clock: reloj
        fork: tenedor
        knife: cuchillo
        spoon: cuchara
        bowl: cuenco, tazon
        cake: pastel, tarta
        scissors: tijeras
        fruit: fruta, frutas
        animal: animal, animales
        toy: juguete, juguetes
        person: hija, hijo, esposa, esposo, marido, madre, padre, mama, papa, hermano, hermana, amigo, amiga, jefe, bebe
        person: vecino, vecina, abuela, abuelo, colega
        sandwich: bocadillo, sandwich
        pizza: pizza
        umbrella: paraguas
        backpack: mochila
        handbag: bolso
        box: paquete, paquetes
        sofa: sofa
        television: television, tele
        bicycle: bicicleta, bici
        bus: autobus
        truck: camion, camiones
        carrot: zanahoria
        vase: jarron
        remote: mando
        """
    ),
    "de": _table(
        """
        person: person, personen, leute, jemand, jemanden, mensch, menschen, gesicht, gesichter
        person: mann, frau, kind, kinder, mich, uns
        cup: tasse, tassen, becher
        bottle: flasche, flaschen
        wine glass: glas, glaser, weinglas
        apple: apfel, apfel
        banana: banane, bananen
        orange: orange, orangen, apfelsine
        croissant: croissant, croissants, hornchen
        duck: ente, enten
        ball: ball, balle
        cat: katze, katzen
        dog: hund, hunde
        bird: vogel
        book: buch, bucher
        phone: telefon, handy, handys
        chair: stuhl, stuhle
        laptop: computer, laptop, rechner
        keyboard: tastatur
        mouse: maus
        box: schachtel, kiste, wurfel, karton
        car: auto, autos
        teddy bear: teddy, teddybar
        plant: pflanze, pflanzen, blume, blumen
        clock: uhr
        fork: gabel
        knife: messer
        spoon: loffel
        bowl: schussel
        cake: kuchen
        scissors: schere
        fruit: obst, frucht, fruchte
        animal: tier, tiere
        toy: spielzeug
        person: tochter, sohn, mutter, vater, mama, papa, bruder, schwester, freund, freundin, chef, baby, nachbar
        person: nachbarin, oma, opa, kollege, kollegin
        sandwich: sandwich, brot, brotchen
        pizza: pizza
        umbrella: regenschirm, schirm
        backpack: rucksack
        handbag: tasche, handtasche
        box: paket, pakete, packchen
        sofa: sofa, couch
        television: fernseher
        bicycle: fahrrad, rad
        bus: bus
        truck: laster, lastwagen, lkw
        carrot: karotte, mohre
        vase: vase
        remote: fernbedienung
        """
    ),
}
_COLOURS = _table(
    """
    red: rouge, rouges, rojo, roja, rojos, rojas, rot, rote, roten, roter, rotes
    blue: bleu, bleue, bleus, azul, azules, blau, blaue, blauen, blauer, blaues
    green: vert, verte, verts, verde, verdes, grun, grune, grunen, gruner, grunes
    yellow: jaune, jaunes, amarillo, amarilla, gelb, gelbe, gelben, gelber, gelbes
    black: noir, noire, negro, negra, schwarz, schwarze, schwarzen, schwarzer, schwarzes
    white: blanc, blanche, blanco, blanca, weiss, weisse, weissen, weisser, weisses
    brown: marron, marrones, braun, braune, braunen, brauner, braunes
    pink: rose, rosa
    """
)
_PEOPLE = frozenset(
    spaced(
        """
        me us people persons somebody someone anybody anyone visitor visitors guest guests stranger strangers human
        humans face faces everybody everyone passer-by passers-by individual individuals folks
        daughter son wife husband mother father mum mom mummy mommy dad daddy brother sister friend friends boss grandma
        grandpa grandmother grandfather neighbour neighbor baby kids children roommate flatmate colleague colleagues
        """
    )
)
_ARTICLES = re.compile(
    r"^(?:the|a|an|any|some|my|your|his|her|our|their|this|that|these|those|another|every|each|all|new|other|of|le|la"
    r"|les|l|un"
    r"|une|des|du|de|mon|ma|mes|ton|ta|tes|ce|cette|d|el|los|las|una|unos|unas|al|del|a|mi|mis|tu|tus|der|die|das|den"
    r"|dem|ein"
    r"|eine|einen|einem|einer|meine[nmrs]?|mein|deine[nmrs]?|dein|alle|autre|otra|otro|neue[nrs]?)[ ']+"
)


_ENGLISH = {"parcel": "box", "parcels": "box", "package": "box", "packages": "box"}
_SIZES = re.compile(
    r"^(?:little|small|big|large|tiny|old|new|petite?s?|grande?s?|gros(?:se)?|peque[nñ][oa]s?|kleine[nmrs]?"
    r"|grosse[nmrs]?) "
    r"| (?:peque[nñ][oa]s?|grandes?)$"
)
_DESCRIBED = frozenset(
    spaced("toy rubber plastic wooden paper coffee tea soft stuffed glass metal race rc plush beach")
)
"""Words before the name of a thing that leave it the same thing."""


def read(words: str, language: str = "en") -> NamedThing | None:
    """The thing that some words name, article and colour included; None when the detectors know none of that name."""
    said = (
        without_accents(words.casefold()).replace("\u2019", "'").replace("\u00df", "ss").strip(" .,;:!?\"'\u00ab\u00bb")
    )
    while (shorter := _ARTICLES.sub("", said)) != said:
        said = shorter
    if not said or len(said.split()) > MOST_WORDS:
        return None
    colour, said = _without_colour(said)
    name = _name(said, language)
    return NamedThing(name, colour) if name else None


def first_in(text: str, language: str = "en") -> NamedThing | None:
    """The first thing that a text names."""
    words = re.findall(r"[\w'-]+", text)
    for start in range(len(words)):
        for length in (3, 2, 1):
            stretch = words[start : start + length]
            if len(stretch) == length and (found := read(" ".join(stretch), language)):
                return found
    return None


def _without_colour(said: str) -> tuple[str, str]:
    words = said.split()
    for place in (0, -1):
        colour = canonical_colour(words[place]) or _COLOURS.get(words[place], "")
        if colour and len(words) > 1:
            return colour, " ".join(words[1:] if place == 0 else words[:-1])
    return "", said


def _name(said: str, language: str) -> str:
    if translated := _TRANSLATED.get(language, {}).get(said):
        return translated
    if language in _TRANSLATED and said in _PEOPLE:
        return ""
    if said in _PEOPLE:
        return PEOPLE
    english = canonical(_ENGLISH.get(said, said))
    if english in KNOWN or english in KINDS:
        return english
    head = _head(said, language)
    return _name(head, language) if head and head != said else ""


def _head(said: str, language: str) -> str:
    """The words without what only describes the thing: "toy car" is a car, "patito de goma" a duck. Empty if none."""
    if (shorter := _SIZES.sub("", said)) != said:
        return shorter
    if language in ("fr", "es"):
        return next(iter(re.split(r" (?:de|en|del|du|d') ?", said, maxsplit=1))) if " " in said else ""
    first, _, rest = said.partition(" ")
    return rest if first in _DESCRIBED else ""
