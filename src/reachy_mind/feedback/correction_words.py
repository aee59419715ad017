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
D yaw+: left, leftward, leftwards, to the left, to your left, on your left, on the left, a gauche, la gauche
D yaw+: sur la gauche, vers la gauche, gauche, a la izquierda, hacia la izquierda, la izquierda, izquierda, links
D yaw+: nach links, linke seite, toward the left, towards the left, to my left, de gauche, du cote gauche
D yaw+: left of that, left of there, lenks, lnks, on the left side, to the left side, pa la izquierda
D yaw+: to the left of that, left of it, left side, von links
D yaw-: right, rightward, rightwards, to the right, to your right, on your right, on the right, a droite, la droite
D yaw-: sur la droite, vers la droite, droite, a la derecha, hacia la derecha, la derecha, derecha, rechts
D yaw-: nach rechts, rechte seite, on the right side, to the right side, toward the right, towards the right
D yaw-: to my right, de droite, du cote droit, right of that, right of there, to the right of it, right of it
D yaw-: pa la derecha, rachts, right side, von rechts
Q pitch+: high, haut, haute, alto, alta, hoch, higher up than
Q pitch-: low, bas, basse, bajo, baja, tief, niedrig
C pitch+: higher, plus haut, hoher, mas alto, mas arriba, more up, weiter oben, weiter hoch, plus en haut, higher up
C pitch+: weiter nach oben, moins bas, menos bajo, hohere, hoeher, somewhat higher up
C pitch-: lower, plus bas, tiefer, mas bajo, mas abajo, more down, weiter unten, weiter runter, plus en bas
C pitch-: lower down, weiter nach unten, moins haut, menos alto, niedriger
D pitch+: up, upward, upwards, en haut, vers le haut, arriba, hacia arriba, para arriba, oben, nach oben, rauf
D pitch+: hinauf, skyward, above where, pa arriba, uffe, above that
D pitch-: down, downward, downwards, en bas, vers le bas, abajo, hacia abajo, para abajo, unten, nach unten, runter
D pitch-: hinunter, pa abajo, herunter, below that, below where
A pitch+: raise, lift, leve, releve, remonte, monte, sube, levanta, heb, hebe
A pitch-: drop, dip, baisse, abaisse, redescends, descends, baja la, senk, senke, lower your, lower the, lower it
I pitch+: my eyes are up here, i m up here, at my belly, at my feet, at my shoes, at the floor, at my chest
I pitch+: at my knees, hanging your head, you only see my chin, i am up here, mes pieds, mis pies, meine fusse
I pitch+: auf den boden
I pitch-: over my head, at the ceiling, above my head, over the top of my head, the ceiling again, au plafond
I pitch-: le plafond, por encima de mi cabeza, al techo, uber meinen kopf, an die decke, i m down here
I pitch-: i am down here, uber mich hinweg, par dessus ma tete, filmed the ceiling
Q speed+: fast, quickly, rapid, rapidly, speedy, swift, swiftly, vite, rapide, rapidement, rapido, rapida, rapidos
Q speed+: deprisa, veloz, schnell, rasch, flott, schnall, snappy, gach, hastig, quick, speed
Q speed-: gradual, gemachlich, pausado
H speed+: hurried, hasty, hectic, rushed, precipite, brusque, apresurado, hektisch, too quick off the mark, ubereilt
H speed+: gehetzt, in such a hurry, in a hurry
H speed-: slow, slowly, sluggish, laggy, lagging, sluggishly, dragging, lent, lente, lentement, lenteur, mou
H speed-: mollasson, lento, lenta, lentos, despacio, langsam, lahm, trage, glacial, plodding, langsame, pachorra
H speed-: lambin, trainard
h speed+: rush, rushing, race, racing, hurry, hurrying, hetz, hetzen, hetzt, rast, zooming, whizzing, correr
h speed+: speeding, hurries, rushes
h speed-: dawdling, dawdle, dragging your feet, tu traines, trodelst, bummelst, trainer, trodeln, bummeln
C speed+: faster, quicker, speedier, swifter, snappier, brisker, zippier, schneller, flotter, zugiger, rascher
C speed+: twice as fast, double speed, double the speed, plus de vitesse, quicker off the mark, plus speed
C speed-: slower, calmer, steadier, gentler pace, slower pace, langsamer, gemachlicher, half the speed, half speed
C speed-: half as fast, slow motion, deux fois moins vite, a la mitad de velocidad, halb so schnell, mas despacio
C speed-: plus doucement, plus lentement, gentler speed, ruhiger, mas tranquilo, mas calmado, plus calmement
C speed-: mas suave
V speed+: speed up, speed it up, hurry up, pick up the pace, get a move on, step on it, chop chop, accelere
V speed+: accelerez, depeche toi, depechez vous, grouille toi, bouge toi, magne toi, acelera, apurate, date prisa
V speed+: apresurate, dale cana, muevete, beeil dich, beeile dich, gib gas, mach hin, mach schneller
V speed+: leg einen zahn zu, crank the speed up, quicken, quicken up, put your foot down, look lively, dalli
V speed+: mets un coup de collier
V speed-: slow down, slow it down, slow that down, slow yourself down, slow that turn down, take it slow
V speed-: take it slowly, take your time with it, easy does it, ralentis, ralentissez, ralentir, doucement, mollo
V speed-: vas y mollo, mas lento, ve mas despacio, ve despacio, con calma, frena un poco, baja la velocidad
V speed-: reduce la velocidad, afloja el ritmo, mach langsam, mach langsamer, langsam langsam, immer mit der ruhe
V speed-: brems dich, nimm tempo raus, sachte, slow right down, go easy, ease off, tranquilo, despacito
V speed-: cool your jets, hold your horses, nicht hetzen, gently gently, gently does it
P speed+: pace, tempo, speed of it, vitesse, velocidad, geschwindigkeit, rhythm, rythme, ritmo, the speed
P speed+: your speed
I speed+: took ages, takes ages, taking ages, taking forever, took forever, takes forever, waiting for ages
I speed+: taking so long, what took you so long, took you long enough, take forever, took so long, takes so long
I speed+: t as mis le temps, ca prend trois plombes, on s endort, tardas mucho, tardas demasiado, tardas tanto
I speed+: has tardado, dauert zu lange, dauert ewig, snail s pace, like a snail, like a tortoise
I speed+: could walk there faster, en cien anos, brauchst ewig, brauchst zu lange, brauchst so lange
I speed+: comme un escargot, como una tortuga, wie eine schnecke, slow as molasses
I speed-: what s the rush, what is the rush, what s the hurry, where s the fire, cant keep up, not a race
I speed-: cant follow you, cant follow that, rien suivi, pas une course, n arrive pas a suivre, no es una carrera
I speed-: no me da tiempo, komm nicht mit, komme nicht mit, komm nicht hinterher, kein wettrennen, could not keep up
I speed-: couldnt keep up, no te sigo, arrive pas a te suivre, whip your head round, whipping your head
Q volume+: fort, strong for, alto volumen
Q volume-: quiet, quietly, faint
H volume+: loud, loudly, noisy, deafening, blaring, booming, cries, bruyant, bruyante, assourdissant, ruidoso
H volume+: ruidosa, escandaloso, laut, laerm, ohrenbetaubend, ear splitting, earsplitting, thunderous, luut, shouty
H volume-: mumbled, leise, leis, bajito, inaudible, whispered, flojo, flojito, inaudibel, unhorbar
h volume+: shouting, yelling, screaming, shout, yell, scream, bellow, bellowing, crier, tu cries, tu hurles, hurler
h volume+: gritar, gritando, gritas, grites, chillar, chilles, schreien, schreist, schrei, brullen, brullst, brull
h volume+: crie, criez, screeching, screech, chillas, hurle
h volume-: mumbling, whispering, mumble, whisper, muttering, mutter, marmonner, marmonnes, chuchoter, chuchotes
h volume-: murmurer, murmures, susurrar, susurras, murmurar, flustern, flusterst, nuscheln, nuschelst, murmeln
h volume-: murmelst, marmonne, chuchote, susurres, fluster, nuschel
C volume+: louder, noisier, lauter, plus fort, plus haut et fort, luuter, mas volumen, mas fuerte, mas recio
C volume+: more volume, plus de volume, plus de son, mehr lautstarke
C volume-: quieter, softer, leiser, moins fort, moins de bruit, less loud, menos volumen, moins de son, mas bajito
C volume-: mas flojo, mas quedo, less noise, menos ruido, plus bas le son, weniger laut, weniger larm
V volume+: speak up, pipe up, crank it up, crank the sound up, turn it up, turn up the volume, turn the volume up
V volume+: turn the sound up, volume up, monte le son, monte le volume, mets plus fort, parle plus fort
V volume+: augmente le son, augmente le volume, sube el volumen, subele, subele al volumen, sube la voz
V volume+: habla mas alto, dreh auf, mach lauter, dreh lauter, sprich lauter, red lauter, raise your voice
V volume+: project your voice, turn yourself up, crank up the volume, pump up the volume, raise the volume
V volume+: hausse le ton, alza la voz, crank the volume up
V volume-: keep it down, turn it down, turn that down, turn down the volume, turn the volume down
V volume-: turn the sound down, volume down, volume way down, pipe down, keep your voice down, lower your voice
V volume-: lower the volume, baisse le son, baisse le volume, parle moins fort, parle plus bas, baisse d un ton
V volume-: moins de volume, baja el volumen, bajale, bajale al volumen, baja la voz, habla mas bajo, mach leiser
V volume-: dreh leiser, sprich leiser, red leiser, dreh runter, turn yourself down, take the volume down
V volume-: turn your volume down, tone down the volume, baisse la voix, shhh, shh, sh, bring the volume down
V volume-: drop the volume, mach das leiser, mets moins fort, hushed voice, bring the volume back down
P volume+: volume, sound level, lautstarke, volumen
I volume+: cant hear you, can not hear you, cannot hear you, couldnt hear you, cant hear u, barely hear you
I volume+: hardly hear you, hardly heard you, hardly heard it, could not hear you, cant hear it, cant hear a thing
I volume+: cant hear anything, j entends rien, je t entends pas, je n entends rien, je ne t entends pas
I volume+: on n entend rien, on t entend pas, no te oigo, no te escucho, no se te oye, no oigo nada, apenas te oigo
I volume+: hor dich nicht, hore dich nicht, hor dich kaum, hore dich kaum, ich hore nichts, verstehe dich kaum
I volume+: drowned out by, hear you over, barely audible, hardly audible, can barely hear, can hardly hear
I volume+: didnt hear you, back row cant hear
I volume-: hurts my ears, hurt my ears, hurting my ears, my ears hurt, ears are ringing, my poor ears, my eardrums
I volume-: wake everybody, blast my ears, casses les oreilles, mal aux oreilles, reveilles le bebe, sourd a crier
I volume-: me rompes los oidos, me duelen los oidos, despiertas al, mir fallen die ohren ab, tut in den ohren weh
I volume-: weckst das baby, weckst die, deaf not, not deaf, i m not deaf, not so much noise, no soy sordo
I volume-: no estoy sordo, no estoy sorda, je suis pas sourd, je ne suis pas sourd, bin nicht taub
I volume-: bin doch nicht taub, at the top of your voice, my eardrum, ll wake, will wake, could wake the dead
I volume-: going to wake, wirst das baby wecken, vas reveiller, vas a despertar
Q amplitude+: big, strong, wide, large, energetic, forceful, intense, lively, gros, grande, fuerte, stark, heftig
Q amplitude+: ample, amplio, deep, hard
Q amplitude-: small, subtle, little movement, petit, petite, pequeno, pequena, discret, discreto, gentle, weak
H amplitude+: wild, wildly, exaggerated, over the top, violent, violently, jumpy, frantic, jerky for me, overdone
H amplitude+: exagere, exagerado, exagerada, ubertrieben, overexcited, hyper, hyperactive, manic, excessif, gezappel
H amplitude-: tiny, timid, half hearted, halfhearted, feeble, wimpy, lame, stiff, wooden, listless, unenthusiastic
H amplitude-: timide, mollement, soso, flojera, schuchtern, schlapp, zaghaft, tame, lifeless, limp, kraftlos
H amplitude-: poco expresivo
h amplitude+: hampelst, gigotes, gigoter, zappeln, zappelst, gesticulating, flailing, fidgeting, exageres
h amplitude+: ubertreibst, hampeln
C amplitude+: bigger, larger, stronger, wider, deeper, livelier, grosser, starker, heftiger, further, farther, giant
C amplitude+: more expressive, plus grand, plus grande, plus ample, plus loin, mas grande, mas fuerza, mas amplio
C amplitude+: bolder, fuller, more pronounced, more energetic, mas marcado, plus marque, plus expressif, ausladender
C amplitude+: mas energia, plus d energie, mehr schwung, mehr energie, kraftiger, plus franchement, more of a swing
C amplitude-: smaller, gentler, subtler, weaker, milder, kleiner, sanfter, dezenter, plus petit, plus petite
C amplitude-: plus discret, mas pequeno, mas pequena, mas discreto, less wild, moins ample, moins grand, zarter
C amplitude-: schwacher, shallower, narrower, less energy, moins d energie, menos energia, weniger heftig
C amplitude-: weniger wild, less wiggle
V amplitude+: put some heart into it, go for it, put more feeling in, put some energy into it, put more into it
V amplitude+: dont hold back, exaggerate, amplify, mets y du coeur, exagera, ponle ganas, leg dich ins zeug, go big
V amplitude-: tone it down, tone that down, tone yourself down, tone down the antennas, calm it down, calm down
V amplitude-: calme toi, calmate, beruhig dich, calm yourself, dial it down, dial it back, take it down a notch
V amplitude-: tone down, rein it in, ease up, lighten up on it, relajate un poco, baja la intensidad, settle down
V amplitude-: simmer down
P amplitude+: energy, feeling, emotion, expression, enthusiasm, oomph, passion, energie, expresion, enthousiasme
P amplitude+: schwung, gefuhl, entusiasmo, amplitude, intensity, gusto, punch, ausdruck, movement, mouvement
P amplitude+: movimiento
G amplitude+: wiggle, wiggled, swing, shake, shaking, nod, nodding, nodded, dance, dancing, danced, move, moving
G amplitude+: moved, bouge, bouges, mueve, mueves, beweg, bewegst, wackel, wackelst, zappel, gesticulate
I amplitude+: hardly moved, barely moved, hardly saw you move, barely twitched, hardly saw it, barely saw it
I amplitude+: hardly noticed, barely noticed, t as a peine bouge, tu bouges a peine, casi no te has movido
I amplitude+: apenas te mueves, kaum bewegt, bewegst dich kaum, apenas te has movido, barely saw you move
I amplitude+: barely moving, hardly moving
I amplitude-: giving me motion sickness, macht mich ganz kirre, donnes le tournis, overdid it, overdoing it
I amplitude-: overdone it
Q duration+: lengthy, longtemps
Q duration-: early, soon, brief, bref, tot, fruh
H duration+: endless, interminable, never ending, neverending, eterno, eterna, endlos, ewig, drags on, dragged on
H duration+: traine en longueur, se hace eterno, zieht sich, drawn out, dragging on, long, longue, largo, larga
H duration+: lang
H duration-: short, abrupt, abgehackt, corto, corta, court, courte, kurz
C duration+: longer, lengthier, langer, plus longtemps, mas tiempo, mas largo, mas larga, plus long, plus longue
C duration+: twice as long, mas rato
C duration-: shorter, briefer, sooner, kurzer, plus court, plus courte, mas corto, mas corta, mas breve
C duration-: half as long, plus bref, moins longtemps, menos tiempo, half the length, less long
V duration+: make it last, stretch it out, draw it out, lengthen it, prolong it, rallonge, prolonge, alargalo
V duration+: alarga, verlangere, zieh es in die lange, hold that pose until, keep the pose until, lengthen, prolong
V duration-: wrap it up, shorten it, shorten the, cut it short, raccourcis, abrege, acorta, acortalo, abrevia
V duration-: kurz es, make it quick, mach s kurz, kurze es, kurz die, shorten, kurzen, hurry up and finish
G duration+: hold, hold it, hold that, stay, stay there, last, lasted, tiens, reste, aguanta, mantente, bleib, durar
G duration+: dure, dauern, halt, halte, keep the pose, keep looking, hold the pose, keep that pose, hold that pose
I duration+: over before i, stopped too early, stopped too soon, ended too early, why did you stop, aguanta mas
I duration+: was that it already, stopped in the middle, dont stop so soon, stopped halfway
I duration-: when will you be done, are you done yet, still going on about it, dauert ja ewig, goes on forever
Q count+: often, frequently, souvent, a menudo, oft, haufig, many times, frequent
h count+: repeat, repeating, repite, repitas, repetes, wiederhol, wiederholst
C count+: more often, more times, more frequently, plus souvent, mas a menudo, mas veces, ofter, haufiger
C count+: more than once, plus de fois, fois de plus, vez mas, veces mas, some more times, a few more times
C count+: mehrmals, einmal mehr, einmal ofter, more of those, one more nod, one more wave, few more of those
C count-: less often, fewer times, moins souvent, menos veces, seltener, weniger oft, fois de moins, vez menos
C count-: veces menos, moins de fois, einmal weniger, less frequently, only once, just once, just the once
C count-: nur einmal, une seule fois, menos a menudo, not as often, solo una vez, fewer repetitions, less frequent
C count-: once less, not every time
P count+: times, nods, waves, blinks, spins, repetitions, repeats, jokes, shakes, wiggles, turns, winks, bows, fois
P count+: veces, male, beeps, hochements, saludos, blagues, chistes, witze
I count-: once is enough, one is enough, twice is plenty, twice is enough, once is plenty, two is enough
I count-: once will do, two will do, une fois suffit, con una vez sobra, con una vez basta, einmal reicht
I count-: zweimal reicht, einmal genugt, once would do, once would be enough, une fois c est assez
I count-: una vez es suficiente, deux fois suffisent, so many times, one nod is enough, one wave is enough
I count-: tantas veces, tant de fois
Q distance+: distant, far away, lejos, loin, weit weg, far back
Q distance-: close, near, pres, cerca, nah, proche, dicht
H distance-: in my face, in my personal space, auf der pelle, encima de mi, colle a moi
h distance-: crowding, crowd, invading my space
C distance+: further back, further away, farther away, farther back, plus loin de moi, weiter weg, weiter zuruck
C distance+: mas lejos, more distance, plus de distance, mehr abstand, mas distancia, further off, plus en arriere
C distance+: mas atras
C distance-: closer, nearer, naher, plus pres, mas cerca, dichter, naher ran, naher heran, closer in, naher dran
V distance+: back off a bit, back off a little, stand back, move back, move away, step back a bit, keep away from
V distance+: alejate, keep your distance, keep more distance, recule un peu, recule toi, eloigne toi, echate atras
V distance+: apartate un poco, geh zuruck, geh weg von mir, ruck ab, halt abstand, back up a bit, back up a little
V distance+: back away, pull back
V distance-: come closer, come nearer, move closer, lean in, approche toi, rapproche toi, approche, acercate
V distance-: arrimate, komm naher, ruck naher, ruck heran, get closer, komm ran, come over here a bit
P distance+: distance, abstand, distancia, space
Q talk+: much talking, talkative, chatty, wordy, verbose, detailed, bavard, hablador, parlanchin, gesprachig
Q talk-: terse, concise, sparing
H talk+: long winded, longwinded, blablabla, blabla, bla bla, blah blah, endless talking
H talk-: silent, tight lipped, taciturn, curt, monosyllabic, wortkarg, einsilbig, taciturne, seco
h talk+: rambling, babbling, blabbering, waffling, yapping, chattering, babble, ramble, rambled, droning, parlotear
h talk+: enrollarte, te enrollas, quasselst, laberst, quatschst, babbel, tu bavardes, waffle, plapperst, lecturing
h talk+: lecture me, rabbiting on, bavarder, quasseln, labern, plappern, chatter, te enrolles
h talk-: stingy with words
C talk+: more words, more detail, more details, more explanation, more explaining, more information, more info
C talk+: plus de details, mas detalle, mas detalles, mehr details, mehr worte, longer answer, longer answers
C talk+: longer explanation, more talkative, longer story, more context, reponse plus longue, respuesta mas larga
C talk+: langere antwort, ausfuhrlicher, more depth, mas palabras, plus de mots, satze mehr, more chatty, chattier
C talk+: more about it, tell me more, say more, talk more, dis m en plus, cuentame mas, erzahl mehr
C talk+: erzahl ruhig mehr, sag mehr, parle plus, habla mas, red mehr, explain more
C talk-: fewer words, less words, less talk, less talking, less chatter, less detail, shorter answer
C talk-: shorter answers, shorter explanation, shorter explanations, shorter sentences, shorter replies
C talk-: shorter reply, shorter version, short version, moins de mots, moins de details, menos palabras
C talk-: menos detalles, weniger worte, weniger details, reponse plus courte, reponses plus courtes
C talk-: respuesta mas corta, respuestas mas cortas, kurzere antwort, less explaining, kurzere antworten
C talk-: kurzere satze, more concise, briefer answers, fais plus court, plus concis, mas conciso, knapper, talk less
C talk-: say less, parle moins, habla menos, red weniger, sag weniger, less chatty, less wordy, short answer
V talk+: elaborate, go into detail, expand on that, developpe, explayate, fuhr das aus, describe it properly
V talk-: fass dich kurz, fass dich kurzer, fais court, sois bref, se breve, be brief, keep it short, keep it brief
V talk-: get to the point, cut to the chase, spare me the details, spare me the lecture, va al grano, ve al grano
V talk-: viens en au fait, komm auf den punkt, komm zum punkt, in a nutshell, abrege ton discours, al grano
V talk-: make it brief
P talk+: words, detail, details, explanation, mots, palabras, worte, satze, phrases
G talk+: talk, talking, say, tell, told, talked, speak about, parles, hablas, redest, parle, habla, red, rede, sag
G talk+: dis, cuenta, erzahl, raconte, explain, quatsch, di, cuentame, dime
I talk+: cat got your tongue, is that all you have to say, cuentame algo mas, one word answers
I talk-: talk too much, talks too much, talking too much, talk so much, talking so much, parles trop
I talk-: hablas demasiado, hablas mucho, redest zu viel, redest so viel, quasselst zu viel, quasselst viel zu viel
I talk-: you do go on, you go on and on, talk this much, ja oder nein genugt, racontes ta vie, keinen vortrag
I talk-: too many words, trop de mots, demasiadas palabras, zu viele worte, no hables tanto, parle pas tant
I talk-: red nicht so viel, babbel net so viel, half the words, enough talking, te enrollas mucho, one word too many
I talk-: didnt ask for a lecture, parlez trop
"""

SIZES = """
tiny: hair, a hair, by a hair, whisker, a whisker, smidge, smidgen, a smidge, a smidgen, touch, a touch, fraction
tiny: a fraction, teeny, teeny bit, tiny bit, a tiny bit, teensy bit, teeniest bit, tiniest bit, tiniest amount
tiny: ever so slightly, millimetre, millimeter, a millimetre, one click, a click, a pinch, pinch, an eyelash
tiny: eyelash, a gnat s whisker, half a second, un chouia, un chouya, un poil, un tout petit peu, un rien, un cheveu
tiny: un iota, une once, un pelin, una pizca, un poquitin, un poquitito, un pelo, un segundito, una miaja
tiny: un milimetro, eine spur, ein haar, einen tick, ein tick, einen ticken, ein ticken, ein muh, eine idee, minimal
tiny: ein tickchen, ein klein wenig, ein winziges, winzig, einen hauch, ein hauch, einen fingerbreit
tiny: ein klitzekleines, klitzekleines bisschen, barely a touch, a speck, petite seconde, une petite seconde
tiny: winzigen, winzigen moment, winziges bisschen, segundito, gnat s whisker, the slightest, une miette
tiny: un micro poil, un pelito, hauchdunn, just a hair, infinitesimally, fractionally, marginally
small: bit, a bit, bits, a little, little, little bit, a little bit, lil, lil bit, slightly, somewhat, a tad, tad
small: a notch, notch, a shade, shade, wee bit, a trifle, kinda, kind of, sort of, a couple, a few, an inch, inch
small: another inch, rather, a smaller, un peu, legerement, un petit peu, un poco, poquito, un poquito, ligeramente
small: algo, tantito, un chin, rayitas, ein bisschen, bisschen, bischen, ein wenig, etwas, leicht, ein stuck
small: ein stuckchen, stuckchen, a bisserl, bisserl, bissi, bissl, a bissl, a bissi, bitzeli, echli, ein bissle
small: bissle, bisken, un cran, a step, quelque peu, un pas, nudge, a nudge, petit moment, un petit moment
small: kleinen moment, a mite, mildly, a second, two fingers, a finger, a wee, just a bit, algo mas, un poquillo
small: plutot
large: way, way way, much, far, a lot, lots, lots and lots, loads, a good deal, a good bit, a great deal, heaps
large: hugely, massively, extremely, awfully, painfully, terribly, ridiculously, insanely, incredibly, miles
large: by a mile, a mile, tons, considerably, significantly, twice, well to, waaay, waay, super, beaucoup, bien
large: vraiment, nettement, enormement, carrement, franchement, vachement, mucho, mucha, muchisimo, bastante
large: demasiadisimo, un monton, un huevo, viel, viel viel, deutlich, wesentlich, ganz viel, ganz weit, erheblich
large: extrem, total, richtig, meilenweit, massiv, weitaus, mega, krass, absolutely, horribly, dreadfully
large: a whole lot, whole lot, three times, a ton, a million times, a hundred times, completement, terriblement
large: tremendamente, unbearably, stupidly
"""
"""How much, in words."""
