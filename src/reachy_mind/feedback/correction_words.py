"""The poles of corrections in English, French, Spanish and German, and words for how much.
A line has a tag, an axis with its sign, and phrases with commas between them. Words are without accents, capitals and
apostrophes. A phrase is in the first line that has it; the longest phrase at a place wins.
Q  a quality of what was done ("fast"); too much of it asks for the opposite
H  a quality that is a fault by its nature ("sluggish")
h  a habit that is a fault ("shout"); without it is asked for
C  a comparative, which asks for itself ("faster")
V  an order to change ("slow down")
D  a direction ("left")
A  a verb of raising or lowering
P  a noun of an axis ("volume"): more or less of it
G  a verb that can be done more or less ("talk more")
I  an idiom that says it all ("I can't hear you")
"""

from __future__ import annotations

POLES = """
Q speed+: fast, quickly, rapid, rapidly, speedy, swift, swiftly, vite, rapide, rapidement, rapido, rapida
Q speed+: rapidos, deprisa, veloz, schnell, rasch, flott, schnall, snappy, gach, hastig
H speed+: hurried, hasty, hectic, rushed, precipite, brusque, apresurado, hektisch
H speed+: too quick off the mark, ubereilt, gehetzt
Q speed-: gradual, gemachlich, pausado
H speed-: slow, slowly, sluggish, laggy, lagging, sluggishly, dragging, lent, lente
H speed-: lentement, lenteur, mou, mollasson, lento, lenta, lentos, despacio, langsam, lahm, trage
H speed-: glacial, plodding, langsame, pachorra, lambin, trainard
C speed+: faster, quicker, speedier, swifter, snappier, brisker, zippier, schneller, flotter, zugiger, rascher
C speed+: twice as fast, double speed, double the speed, plus de vitesse, quicker off the mark, plus speed
C speed-: slower, calmer, steadier, gentler pace, slower pace, langsamer, gemachlicher, half the speed, half speed
C speed-: half as fast, slow motion, deux fois moins vite, a la mitad de velocidad, halb so schnell, mas despacio
C speed-: plus doucement, plus lentement, gentler speed, ruhiger, mas tranquilo, mas calmado, plus calmement, mas suave
V speed+: speed up, speed it up, hurry up, pick up the pace, get a move on, step on it, chop chop, accelere
V speed+: accelerez, depeche toi, depechez vous, grouille toi, bouge toi, magne toi, acelera, apurate, date prisa
V speed+: apresurate, dale cana, muevete, beeil dich, beeile dich, gib gas, mach hin, mach schneller, leg einen zahn zu
V speed+: crank the speed up, quicken, quicken up, put your foot down, look lively, dalli, mets un coup de collier
V speed-: slow down, slow it down, slow that down, slow yourself down, slow that turn down, take it slow, take it slowly
V speed-: take your time with it, easy does it, ralentis, ralentissez, ralentir, doucement, mollo, vas y mollo, mas lento
V speed-: ve mas despacio, ve despacio, con calma, frena un poco, baja la velocidad, reduce la velocidad, afloja el ritmo
V speed-: mach langsam, mach langsamer, langsam langsam, immer mit der ruhe, brems dich, nimm tempo raus, sachte
V speed-: slow right down, go easy, ease off, tranquilo, despacito, cool your jets, hold your horses, nicht hetzen
P speed+: pace, tempo, speed of it, vitesse, velocidad, geschwindigkeit, rhythm, rythme, ritmo, the speed, your speed
h speed+: rush, rushing, race, racing, hurry, hurrying, hetz, hetzen, hetzt, rast, zooming, whizzing, correr
h speed+: speeding, hurries, rushes
h speed-: dawdling, dawdle, dragging your feet, tu traines, trodelst, bummelst, trainer, trodeln, bummeln
h volume+: shouting, yelling, screaming, shout, yell, scream, bellow, bellowing, crier, tu cries, tu hurles
h volume+: hurler, gritar, gritando, gritas, grites, chillar, chilles, schreien, schreist, schrei, brullen
h volume+: brullst, brull, crie, criez, screeching, screech, chillas, hurle
h volume-: mumbling, whispering, mumble, whisper, muttering, mutter, marmonner, marmonnes, chuchoter
h volume-: chuchotes, murmurer, murmures, susurrar, susurras, murmurar, flustern, flusterst, nuscheln
h volume-: nuschelst, murmeln, murmelst, marmonne, chuchote, susurres, murmures, fluster, nuschel
h amplitude+: hampelst, gigotes, gigoter, zappeln, zappelst, gesticulating, flailing, fidgeting, exageres
h amplitude+: ubertreibst, hampeln
h count+: repeat, repeating, repite, repitas, repetes, wiederhol, wiederholst
h distance-: crowding, crowd, invading my space
h talk+: rambling, babbling, blabbering, waffling, yapping, chattering, babble, ramble, rambled, droning
h talk+: parlotear, enrollarte, te enrollas, quasselst, laberst, quatschst, babbel, tu bavardes, waffle
h talk+: plapperst, lecturing, lecture me, rabbiting on, bavarder, quasseln, labern, plappern, chatter, te enrolles
h talk-: stingy with words
Q volume+: fort, strong for, alto volumen
H volume+: loud, loudly, noisy, deafening, blaring, booming
H volume+: cries
H volume+: bruyant, bruyante, assourdissant, ruidoso, ruidosa, escandaloso, laut
H volume+: laerm, ohrenbetaubend, ear splitting, earsplitting, thunderous, luut, shouty
Q volume-: quiet, quietly, faint
H volume-: mumbled
H volume-: leise, leis, bajito, inaudible, whispered, flojo, flojito, inaudibel, unhorbar
C volume+: louder, noisier, lauter, plus fort, plus haut et fort, luuter, mas volumen, mas fuerte, mas recio, more volume
C volume+: plus de volume, plus de son, mehr lautstarke
C volume-: quieter, softer, leiser, moins fort, moins de bruit, less loud, menos volumen, moins de son
C volume-: mas bajito, mas flojo, mas quedo, less noise, menos ruido, plus bas le son, weniger laut, weniger larm
V volume+: speak up, pipe up, crank it up, crank the sound up, turn it up, turn up the volume, turn the volume up
V volume+: turn the sound up, volume up, monte le son, monte le volume, mets plus fort, parle plus fort, augmente le son
V volume+: augmente le volume, sube el volumen, subele, subele al volumen, sube la voz, habla mas alto, dreh auf
V volume+: mach lauter, dreh lauter, sprich lauter, red lauter, raise your voice, project your voice, turn yourself up
V volume+: crank up the volume, pump up the volume, raise the volume, hausse le ton, alza la voz, crank the volume up
V volume-: keep it down, turn it down, turn that down, turn down the volume, turn the volume down, turn the sound down
V volume-: volume down, volume way down, pipe down, keep your voice down, lower your voice, lower the volume, baisse le son
V volume-: baisse le volume, parle moins fort, parle plus bas, baisse d un ton, moins de volume, baja el volumen, bajale
V volume-: bajale al volumen, baja la voz, habla mas bajo, mach leiser, dreh leiser, sprich leiser, red leiser, dreh runter
V volume-: turn yourself down, take the volume down, turn your volume down, tone down the volume, baisse la voix, shhh, shh, sh
V volume-: bring the volume down, drop the volume, mach das leiser, mets moins fort, hushed voice, bring the volume back down
P volume+: volume, sound level, lautstarke, volumen
I volume+: cant hear you, can not hear you, cannot hear you, couldnt hear you, cant hear u, barely hear you
I volume+: hardly hear you, hardly heard you, hardly heard it, could not hear you, cant hear it, cant hear a thing
I volume+: cant hear anything, j entends rien, je t entends pas, je n entends rien, je ne t entends pas, on n entend rien
I volume+: on t entend pas, no te oigo, no te escucho, no se te oye, no oigo nada, apenas te oigo, hor dich nicht
I volume+: hore dich nicht, hor dich kaum, hore dich kaum, ich hore nichts, verstehe dich kaum, drowned out by
I volume+: hear you over, barely audible, hardly audible, can barely hear, can hardly hear, didnt hear you, back row cant hear
I volume-: hurts my ears, hurt my ears, hurting my ears, my ears hurt, ears are ringing, my poor ears, my eardrums
I volume-: wake everybody
I volume-: blast my ears, casses les oreilles, mal aux oreilles
I volume-: reveilles le bebe, sourd a crier, me rompes los oidos, me duelen los oidos, despiertas al
I volume-: mir fallen die ohren ab, tut in den ohren weh, weckst das baby, weckst die, deaf not, not deaf, i m not deaf
I volume-: not so much noise, no soy sordo, no estoy sordo, no estoy sorda, je suis pas sourd, je ne suis pas sourd
I volume-: bin nicht taub, bin doch nicht taub, at the top of your voice, my eardrum
Q amplitude+: big, strong, wide, large, energetic, forceful, intense, lively, gros, grande, fuerte
Q amplitude+: stark, heftig, ample, amplio, deep
H amplitude+: wild, wildly, exaggerated, over the top, violent, violently, jumpy, frantic, jerky for me, overdone
H amplitude+: exagere, violent, exagerado, exagerada, ubertrieben
H amplitude+: overexcited, hyper, hyperactive, manic, excessif, gezappel
Q amplitude-: small, subtle, little movement, petit, petite, pequeno, pequena, discret, discreto, gentle, weak
H amplitude-: tiny, timid, half hearted, halfhearted, feeble, teeny, wimpy, lame, stiff, wooden, listless, unenthusiastic
H amplitude-: tiny, timide, mollement, soso, flojera, schuchtern, schlapp, zaghaft, tame, lifeless, limp, kraftlos, poco expresivo
C amplitude+: bigger, larger, stronger, wider, deeper, livelier, grosser, starker, heftiger, further, farther, giant
C amplitude+: more expressive, plus grand, plus grande, plus ample, plus loin, mas grande, mas fuerza, mas amplio
C amplitude+: bolder, fuller, more pronounced, more energetic, mas marcado, plus marque, plus expressif, ausladender
C amplitude+: mas energia, plus d energie, mehr schwung, mehr energie, kraftiger, plus franchement, more of a swing
C amplitude-: smaller, gentler, subtler, weaker, milder, kleiner, sanfter, dezenter, plus petit, plus petite, plus discret
C amplitude-: mas pequeno, mas pequena, mas discreto, less wild, moins ample, moins grand, zarter, schwacher, shallower
C amplitude-: narrower, less energy, moins d energie, menos energia, weniger heftig, weniger wild, less wiggle
V amplitude+: put some heart into it, go for it, put more feeling in, put some energy into it, put more into it
V amplitude+: dont hold back, exaggerate, amplify, mets y du coeur, exagera, ponle ganas, leg dich ins zeug, go big
V amplitude-: tone it down, tone that down, tone yourself down, tone down the antennas, calm it down, calm down
V amplitude-: calme toi, calmate, beruhig dich, calm yourself, dial it down, dial it back, take it down a notch, tone down
V amplitude-: rein it in, ease up, lighten up on it, relajate un poco, baja la intensidad, settle down, simmer down
P amplitude+: energy, feeling, emotion, expression, enthusiasm, oomph, passion, energie, expresion, enthousiasme
P amplitude+: schwung, gefuhl, entusiasmo, amplitude
P amplitude+: intensity, gusto, punch, ausdruck
I amplitude+: hardly moved, barely moved, hardly saw you move, barely twitched, hardly saw it, barely saw it
I amplitude+: hardly noticed, barely noticed, t as a peine bouge, tu bouges a peine, casi no te has movido, apenas te mueves
I amplitude+: kaum bewegt, bewegst dich kaum, apenas te has movido, barely saw you move, barely moving, hardly moving
I amplitude-: giving me motion sickness, macht mich ganz kirre, donnes le tournis, overdid it, overdoing it, overdone it
Q duration+: lengthy, longtemps
H duration+: endless, interminable, never ending, neverending, eterno, eterna, endlos, ewig, drags on, dragged on
H duration+: traine en longueur, se hace eterno, zieht sich, drawn out, dragging on
Q duration-: early, soon, brief, bref
H duration-: short, abrupt, abgehackt
C duration+: longer, lengthier, langer, plus longtemps, mas tiempo, mas largo, mas larga, plus long, plus longue, twice as long
C duration+: mas rato
C duration-: shorter, briefer, sooner, kurzer, plus court, plus courte, mas corto, mas corta, mas breve, half as long
C duration-: plus bref, moins longtemps, menos tiempo, half the length, less long
V duration+: make it last, stretch it out, draw it out, lengthen it, prolong it, rallonge, prolonge, alargalo, alarga
V duration+: verlangere, zieh es in die lange, hold that pose until, keep the pose until, lengthen, prolong
V duration-: wrap it up, shorten it, shorten the, cut it short, raccourcis, abrege, acorta, acortalo, abrevia, kurz es
V duration-: make it quick, mach s kurz, kurze es, kurz die, shorten, kurzen, hurry up and finish
I duration+: over before i, stopped too early, stopped too soon, ended too early, why did you stop
I duration+: aguanta mas, was that it already, stopped in the middle, dont stop so soon, stopped halfway
I duration-: when will you be done, are you done yet, still going on about it, dauert ja ewig, goes on forever
I speed+: took ages, takes ages, taking ages, taking forever, took forever, takes forever, waiting for ages, taking so long
I speed+: what took you so long, took you long enough, take forever, took so long, takes so long, t as mis le temps
I speed+: ca prend trois plombes, on s endort, tardas mucho, tardas demasiado, tardas tanto, has tardado, dauert zu lange
I speed+: dauert ewig, snail s pace, like a snail, like a tortoise, could walk there faster, en cien anos, brauchst ewig
I speed+: brauchst zu lange, brauchst so lange, comme un escargot, como una tortuga, wie eine schnecke, slow as molasses
I speed-: what s the rush, what is the rush, what s the hurry, where s the fire, cant keep up, not a race, cant follow you
I speed-: cant follow that, rien suivi, pas une course, n arrive pas a suivre, no es una carrera, no me da tiempo
I speed-: komm nicht mit, komme nicht mit, komm nicht hinterher, kein wettrennen, could not keep up, couldnt keep up
I speed-: no te sigo, arrive pas a te suivre, whip your head round, whipping your head
Q count+: often, frequently, souvent, a menudo, oft, haufig, many times, frequent
C count+: more often, more times, more frequently, plus souvent, mas a menudo, mas veces, ofter, haufiger, more than once
C count+: plus de fois, fois de plus, vez mas, veces mas, some more times, a few more times, mehrmals, einmal mehr
C count+: einmal ofter, more of those, one more nod, one more wave, few more of those
C count-: less often, fewer times, moins souvent, menos veces, seltener, weniger oft, fois de moins, vez menos, veces menos
C count-: moins de fois, einmal weniger, less frequently, only once, just once, just the once, nur einmal, une seule fois
C count-: menos a menudo, not as often, solo una vez, fewer repetitions, less frequent, once less, not every time
P count+: times, nods, waves, blinks, spins, repetitions, repeats, jokes, shakes, wiggles, turns, winks, bows, fois, veces
P count+: male, beeps, hochements, saludos, blagues, chistes, witze
I count-: once is enough, one is enough, twice is plenty, twice is enough, once is plenty, two is enough, once will do
I count-: two will do, une fois suffit, con una vez sobra, con una vez basta, einmal reicht, zweimal reicht, einmal genugt
I count-: once would do, once would be enough, une fois c est assez, una vez es suficiente, deux fois suffisent, so many times
I count-: one nod is enough, one wave is enough, tantas veces, tant de fois
Q distance-: close, near, pres, cerca, nah, proche, dicht
H distance-: in my face, in my personal space, auf der pelle, encima de mi, colle a moi
Q distance+: distant, far away, lejos, loin, weit weg, far back
C distance-: closer, nearer, naher, plus pres, mas cerca, dichter, naher ran, naher heran, closer in, naher dran
C distance+: further back, further away, farther away, farther back, plus loin de moi, weiter weg, weiter zuruck, mas lejos
C distance+: more distance, plus de distance, mehr abstand, mas distancia, further off, plus en arriere, mas atras
V distance-: come closer, come nearer, move closer, lean in, approche toi, rapproche toi, approche, acercate, arrimate
V distance-: komm naher, ruck naher, ruck heran, get closer, komm ran, come over here a bit
V distance+: back off a bit, back off a little, stand back, move back, move away, step back a bit, keep away from, alejate
V distance+: keep your distance, keep more distance, recule un peu, recule toi, eloigne toi, echate atras, apartate un poco
V distance+: geh zuruck, geh weg von mir, ruck ab, halt abstand, back up a bit, back up a little, back away, pull back
P distance+: distance, abstand, distancia, space
Q talk+: much talking, talkative, chatty, wordy, verbose, detailed, bavard, hablador, parlanchin, gesprachig
H talk+: long winded, longwinded
H talk+: blablabla, blabla
H talk+: bla bla, blah blah, endless talking
Q talk-: terse, concise, sparing
H talk-: silent, tight lipped, taciturn, curt, monosyllabic, wortkarg, einsilbig, taciturne, seco
C talk+: more words, more detail, more details, more explanation, more explaining, more information, more info, plus de details
C talk+: mas detalle, mas detalles, mehr details, mehr worte, longer answer, longer answers, longer explanation, more talkative
C talk+: longer story, more context, reponse plus longue, respuesta mas larga, langere antwort, ausfuhrlicher, more depth
C talk+: mas palabras, plus de mots, satze mehr, more chatty, chattier, more about it, tell me more, say more, talk more
C talk+: dis m en plus, cuentame mas, erzahl mehr, erzahl ruhig mehr, sag mehr, parle plus, habla mas, red mehr, explain more
C talk-: fewer words, less words, less talk, less talking, less chatter, less detail, shorter answer, shorter answers
C talk-: shorter explanation, shorter explanations, shorter sentences, shorter replies, shorter reply, shorter version
C talk-: short version, moins de mots, moins de details, menos palabras, menos detalles, weniger worte, weniger details
C talk-: reponse plus courte, reponses plus courtes, respuesta mas corta, respuestas mas cortas, kurzere antwort, less explaining
C talk-: kurzere antworten, kurzere satze, more concise, briefer answers, fais plus court, plus concis, mas conciso, knapper
C talk-: talk less, say less, parle moins, habla menos, red weniger, sag weniger, less chatty, less wordy, short answer
V talk+: elaborate, go into detail, expand on that, developpe, explayate, fuhr das aus, describe it properly
V talk-: fass dich kurz, fass dich kurzer, fais court, sois bref, se breve, be brief, keep it short, keep it brief, get to the point
V talk-: cut to the chase, spare me the details, spare me the lecture, va al grano, ve al grano, viens en au fait
V talk-: komm auf den punkt, komm zum punkt, in a nutshell, abrege ton discours, al grano, make it brief
I talk+: cat got your tongue, is that all you have to say, cuentame algo mas, one word answers
I talk-: talk too much, talks too much, talking too much, talk so much, talking so much, parles trop, hablas demasiado
I talk-: hablas mucho, redest zu viel, redest so viel, quasselst zu viel, quasselst viel zu viel, you do go on, you go on and on
I talk-: talk this much, ja oder nein genugt, racontes ta vie, keinen vortrag, too many words, trop de mots
I talk-: demasiadas palabras, zu viele worte, no hables tanto, parle pas tant, red nicht so viel, babbel net so viel
I talk-: half the words, enough talking, te enrollas mucho, one word too many, didnt ask for a lecture, parlez trop
P talk+: words, detail, details, explanation, chatter, mots, palabras, worte, satze, phrases
Q pitch+: high, haut, haute, alto, alta, hoch, higher up than
Q pitch-: low, bas, basse, bajo, baja, tief, niedrig
C pitch+: higher, plus haut, hoher, mas alto, mas arriba, more up, weiter oben, weiter hoch, plus en haut, higher up
C pitch+: weiter nach oben, moins bas, menos bajo, hohere, hoeher
C pitch-: lower, plus bas, tiefer, mas bajo, mas abajo, more down, weiter unten, weiter runter, plus en bas, lower down
C pitch-: weiter nach unten, moins haut, menos alto, niedriger
D pitch+: up, upward, upwards, en haut, vers le haut, arriba, hacia arriba, para arriba, oben, nach oben, rauf, hinauf
D pitch+: skyward, above where, pa arriba, uffe, above that
D pitch-: down, downward, downwards, en bas, vers le bas, abajo, hacia abajo, para abajo, unten, nach unten, runter, hinunter
D pitch-: pa abajo, herunter, below that, below where
A pitch+: raise, lift, leve, releve, remonte, monte, sube, levanta, heb, hebe
A pitch-: drop, dip, baisse, abaisse, redescends, descends, baja la, senk, senke
I pitch+: my eyes are up here, i m up here, at my belly, at my feet, at my shoes, at the floor, at my chest, at my knees
I pitch+: hanging your head, you only see my chin, i am up here, mes pieds, mis pies, meine fusse, auf den boden
I pitch-: over my head, at the ceiling, above my head, over the top of my head, the ceiling again, au plafond, le plafond
I pitch-: por encima de mi cabeza, al techo, uber meinen kopf, an die decke, i m down here, i am down here, uber mich hinweg
I pitch-: par dessus ma tete, filmed the ceiling
D yaw+: left, leftward, leftwards, to the left, to your left, on your left, on the left, a gauche, la gauche, sur la gauche
D yaw+: vers la gauche, gauche, a la izquierda, hacia la izquierda, la izquierda, izquierda, links, nach links, linke seite
D yaw+: toward the left, towards the left, to my left, de gauche, du cote gauche, left of that, left of there, lenks, lnks
D yaw+: on the left side, to the left side, pa la izquierda, to the left of that, left of it, left side, von links
D yaw-: right, rightward, rightwards, to the right, to your right, on your right, on the right, a droite, la droite
D yaw-: sur la droite, vers la droite, droite, a la derecha, hacia la derecha, la derecha, derecha, rechts, nach rechts
D yaw-: rechte seite, on the right side, to the right side, toward the right, towards the right, to my right, de droite, du cote droit, right of that
D yaw-: right of there, to the right of it, right of it, pa la derecha, rachts, right side, von rechts
Q speed+: quick, speed
I volume-: ll wake, will wake, could wake the dead, going to wake, wirst das baby wecken, vas reveiller, vas a despertar
H duration+: long, longue, largo, larga, lang
H duration-: corto, corta, court, courte, kurz
Q duration-: early, soon, tot, fruh
H speed+: in such a hurry, in a hurry
Q amplitude+: hard
P amplitude+: movement, mouvement, movimiento
V speed-: gently gently, gently does it
A pitch-: lower your, lower the, lower it
C pitch+: somewhat higher up
G talk+: talk, talking, say, tell, told, talked, speak about, parles, hablas, redest, parle, habla, red, rede, sag, dis, cuenta
G talk+: erzahl, raconte, explain, quatsch, di, cuentame, dime
G amplitude+: wiggle, wiggled, swing, shake, shaking, nod, nodding, nodded, dance, dancing, danced, move, moving, moved
G amplitude+: bouge, bouges, mueve, mueves, beweg, bewegst, wackel, wackelst, zappel, gesticulate
G duration+: hold, hold it, hold that, stay, stay there, last, lasted, tiens, reste, aguanta, mantente, bleib, durar, dure
G duration+: dauern, halt, halte, keep the pose, keep looking, hold the pose, keep that pose, hold that pose
"""

SIZES = """
tiny: hair, a hair, by a hair, whisker, a whisker, smidge, smidgen, a smidge, a smidgen, touch, a touch, fraction, a fraction
tiny: teeny, teeny bit, tiny bit, a tiny bit, teensy bit, teeniest bit, tiniest bit, tiniest amount, ever so slightly
tiny: millimetre, millimeter, a millimetre, one click, a click, a pinch, pinch, an eyelash, eyelash, a gnat s whisker
tiny: half a second, un chouia, un chouya, un poil, un tout petit peu, un rien, un cheveu, un iota, une once
tiny: un pelin, una pizca, un poquitin, un poquitito, un pelo, un segundito, una miaja, un milimetro, eine spur, ein haar
tiny: einen tick, ein tick, einen ticken, ein ticken, ein muh, eine idee, minimal, ein tickchen, ein klein wenig, ein winziges
tiny: winzig, einen hauch, ein hauch, einen fingerbreit, ein klitzekleines, klitzekleines bisschen, barely a touch, a speck
tiny: petite seconde, une petite seconde, winzigen, winzigen moment, winziges bisschen, segundito, gnat s whisker
tiny: the slightest, une miette, un micro poil, un pelito, hauchdunn, just a hair, infinitesimally, fractionally, marginally
small: bit, a bit, bits, a little, little, little bit, a little bit, lil, lil bit, slightly, somewhat, a tad, tad, a notch
small: notch, a shade, shade, wee bit, a trifle, kinda, kind of, sort of, a couple, a few, an inch, inch, another inch, rather
small: a smaller, un peu, legerement, un petit peu, un poco, poquito, un poquito, ligeramente, algo, tantito, un chin, rayitas
small: ein bisschen, bisschen, bischen, ein wenig, etwas, leicht, ein stuck, ein stuckchen, stuckchen, a bisserl, bisserl
small: bissi, bissl, a bissl, a bissi, bitzeli, echli, ein bissle, bissle, bisken, un cran, a step, quelque peu, un pas
small: nudge, a nudge, petit moment, un petit moment, kleinen moment
small: a mite, mildly, a second, two fingers, a finger, a wee, just a bit, algo mas, un poquillo, plutot
large: way, way way, much, far, a lot, lots, lots and lots, loads, a good deal, a good bit, a great deal, heaps, hugely
large: massively, extremely, awfully, painfully, terribly, ridiculously, insanely, incredibly, miles, by a mile, a mile, tons
large: considerably, significantly, twice, well to, waaay, waay, super, beaucoup, bien, vraiment, nettement
large: enormement, carrement, franchement, vachement, mucho, mucha, muchisimo, bastante, demasiadisimo, un monton, un huevo
large: viel, viel viel, deutlich, wesentlich, ganz viel, ganz weit, erheblich, extrem, total, richtig, meilenweit, massiv
large: weitaus, mega, krass, absolutely, horribly, dreadfully, a whole lot, whole lot, three times, a ton
large: a million times, a hundred times, completement, terriblement, tremendamente, unbearably, stupidly
"""
"""How much, in words."""
