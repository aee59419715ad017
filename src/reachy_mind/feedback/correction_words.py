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
D yaw+: to the left of that, left of it, left side, von links, a ta gauche, a tu izquierda, lado izquierdo
D yaw+: el lado izquierdo, al lado izquierdo, zu deiner linken, in the left direction, cote gauche, sur ta gauche
D yaw+: von dir aus links
D yaw-: right, rightward, rightwards, to the right, to your right, on your right, on the right, a droite, la droite
D yaw-: sur la droite, vers la droite, droite, a la derecha, hacia la derecha, la derecha, derecha, rechts
D yaw-: nach rechts, rechte seite, on the right side, to the right side, toward the right, towards the right
D yaw-: to my right, de droite, du cote droit, right of that, right of there, to the right of it, right of it
D yaw-: pa la derecha, rachts, right side, von rechts, a ta droite, a tu derecha, lado derecho, el lado derecho
D yaw-: al lado derecho, zu deiner rechten, cote droit, sur ta droite, von dir aus rechts, to the right of that
Q pitch+: high, haut, haute, alto, alta, hoch
Q pitch-: low, bas, basse, bajo, baja, tief, niedrig
C pitch+: higher, plus haut, hoher, mas alto, mas arriba, more up, weiter oben, weiter hoch, plus en haut, higher up
C pitch+: weiter nach oben, moins bas, menos bajo, hohere, hoeher, plus vers le haut, mas hacia arriba
C pitch+: mehr nach oben, hoher rauf, further up, farther up
C pitch-: lower, plus bas, tiefer, mas bajo, mas abajo, more down, weiter unten, weiter runter, plus en bas
C pitch-: lower down, weiter nach unten, moins haut, menos alto, niedriger, plus vers le bas, mas hacia abajo
C pitch-: mehr nach unten, further down, farther down, deeper down
D pitch+: up, upward, upwards, en haut, vers le haut, arriba, hacia arriba, para arriba, oben, nach oben, rauf
D pitch+: hinauf, skyward, pa arriba, uffe, above that
D pitch-: down, downward, downwards, en bas, vers le bas, abajo, hacia abajo, para abajo, unten, nach unten, runter
D pitch-: hinunter, pa abajo, herunter, below that
A pitch+: raise, lift, leve, releve, remonte, monte, sube, levanta, heb, hebe, tilt up, raise your, raise the
A pitch+: lift your, lift the, levante, subela, alza, redresse, heb den, nimm den kopf hoch, increase, boost
A pitch+: augmente, aumenta, erhoh, erhohe, pick up, subas, levantes, leves, levez
A pitch-: drop, dip, baisse, abaisse, redescends, descends, senk, senke, lower your, lower the, lower it, baisse la
A pitch-: baisse ta, baja la cabeza, agacha, nimm den kopf runter, tilt down, reduce, decrease, diminue, disminuye
A pitch-: reduce la, reduzier, reduziere, bring down, cut down, baja un, bajala, baja mas, baja la, bajes, agaches
A pitch-: baisses, baissez, senkst
I pitch+: my eyes are up here, hanging your head, staring at the floor, looking at the floor, looking at my feet
I pitch+: looking at my shoes, regardes le sol, regardes par terre, regardes mes pieds, miras al suelo
I pitch+: mirando al suelo, schaust auf den boden, guckst auf den boden, schaust auf meine fusse, at my belly button
I pitch+: looking at my belly, staring at my feet, staring at my chest, staring at my belly, looking at my chest
I pitch+: looking at my knees, i m up here, my face is up here
I pitch-: over the top of my head, por encima de mi cabeza, uber mich hinweg, par dessus ma tete
I pitch-: staring at the ceiling, looking at the ceiling, filmed the ceiling, regardes le plafond
I pitch-: regardes au plafond, miras al techo, mirando al techo, schaust an die decke, guckst an die decke
I pitch-: looking over my head, staring over my head, you look over my head, looking above my head, see over my head
I pitch-: you re looking over, gazing over the top of my head, gazing over my head, uber meinen kopf
I pitch-: schaust uber mich
Q speed+: fast, quickly, rapid, rapidly, speedy, swift, swiftly, vite, rapide, rapidement, rapido, rapida, rapidos
Q speed+: deprisa, veloz, schnell, rasch, flott, schnall, snappy, gach, hastig, quick, speed, brisk, briskly
Q speed+: hastily, a toute vitesse, a toda velocidad, rapidas, veloces, ligero, rasant, zugig, flink, prompt
Q speed-: gradual, gemachlich, pausado
H speed+: hurried, hasty, hectic, rushed, precipite, apresurado, hektisch, ubereilt, gehetzt, in such a hurry
H speed+: in a hurry, frenetic, breathless, trepidant, atropellado, precipitado, precipitada, uberhastet
H speed-: slow, slowly, sluggish, laggy, lagging, sluggishly, dragging, lent, lente, lentement, lenteur, mollasson
H speed-: lento, lenta, lentos, despacio, langsam, lahm, trage, glacial, plodding, langsame, pachorra, lambin
H speed-: trainard, slowish, leisurely, ponderous, tardy, languid, poussif, lentas, lentisimo, lentisima, lerdo
H speed-: lerda, cansino, langsamen, schleppend, schwerfallig, behabig, slo, lentissime
h speed+: rush, rushing, race, racing, hurry, hurrying, hetz, hetzen, hetzt, rast, zooming, whizzing, correr
h speed+: speeding, hurries, rushes, rushed it, rush it, rush through, rushing through, hurry through
h speed+: racing through, race through, speed through, te precipites, te precipitas, corras, corres, corriendo
h speed+: depechez, presse toi, eile, eilen, eilst, rasen
h speed-: dawdling, dawdle, dragging your feet, tu traines, trodelst, bummelst, trodeln, bummeln, dawdled
h speed-: dilly dallying, dally, tardes, tardar, lambiner, traines, trodel, bummel, schleichst, schleichen, crawling
h speed-: crawl
C speed+: faster, quicker, speedier, swifter, snappier, brisker, zippier, schneller, flotter, zugiger, rascher
C speed+: twice as fast, double speed, double the speed, plus de vitesse, quicker off the mark, plus speed, prompter
C speed+: sprightlier, zackiger, twice the speed, doppelt so schnell, deux fois plus vite, el doble de rapido
C speed+: mas ritmo, mas agil, mehr tempo, more speed, more pace, plus rythme, more brisk
C speed-: slower, calmer, steadier, gentler pace, slower pace, langsamer, gemachlicher, half the speed, half speed
C speed-: half as fast, deux fois moins vite, a la mitad de velocidad, halb so schnell, mas despacio, plus doucement
C speed-: plus lentement, gentler speed, ruhiger, mas tranquilo, mas calmado, plus calmement, mas suave, less fast
C speed-: moins vite, menos rapido, weniger schnell, a la mitad, less speed, menos velocidad, moins de vitesse
C speed-: weniger tempo, more calm, more calmly, more gently, more leisurely
V speed+: speed up, speed it up, hurry up, pick up the pace, get a move on, chop chop, accelere, accelerez
V speed+: depeche toi, depechez vous, grouille toi, bouge toi, magne toi, acelera, apurate, date prisa, apresurate
V speed+: dale cana, beeil dich, beeile dich, gib gas, mach hin, mach schneller, leg einen zahn zu
V speed+: crank the speed up, quicken, quicken up, put your foot down, look lively, dalli, mets un coup de collier
V speed+: get going, make it snappy, pick it up, move along, faster faster, plus vite que ca, allez plus vite
V speed+: mas brio, meter pata, metele, dale gas, ponte las pilas, tempo tempo, zack zack, mach zu
V speed+: mach mal schneller, accelerate, avance plus vite, rapidito, pisa el acelerador, dale mas rapido
V speed+: hurry it up
V speed-: slow down, slow it down, slow that down, slow yourself down, slow that turn down, take it slow
V speed-: take it slowly, take your time with it, ralentis, ralentissez, ralentir, doucement, mollo, vas y mollo
V speed-: mas lento, ve mas despacio, ve despacio, con calma, frena un poco, baja la velocidad, reduce la velocidad
V speed-: afloja el ritmo, mach langsam, mach langsamer, langsam langsam, immer mit der ruhe, brems dich
V speed-: nimm tempo raus, sachte, slow right down, go easy, ease off, despacito, cool your jets, nicht hetzen
V speed-: gently gently, gently does it, ease off the speed, steady on, take it easy on the speed, leve le pied
V speed-: freine, decelere, decelerate, mas lentito, baja el ritmo, baja la marcha, tomatelo con calma, sin prisa
V speed-: nicht so eilig, gemach, lass dir zeit, schalt einen gang runter, prends ton temps, tomate tu tiempo
V speed-: whoa slow down, slow motion please, but slow motion
P speed+: pace, tempo, vitesse, velocidad, geschwindigkeit, rhythm, rythme, ritmo, the speed, your speed, ta vitesse
P speed+: tu velocidad, deine geschwindigkeit
I speed+: taking so long, what took you so long, took you long enough, take forever, took so long, takes so long
I speed+: t as mis le temps, ca prend trois plombes, on s endort, tardas mucho, tardas demasiado, tardas tanto
I speed+: has tardado, dauert zu lange, like a tortoise, brauchst zu lange, brauchst so lange, took a long time
I speed+: takes a long time, took a while, takes you long, keep me waiting, kept me waiting, keeping me waiting
I speed+: me haces esperar, me fais attendre, lasst mich warten, hat gedauert, hat lange gedauert
I speed+: t en as mis du temps, tu mets longtemps, mucho en responder, wo bleibst du
I speed+ large: took ages, takes ages, taking ages, taking forever, took forever, takes forever, waiting for ages
I speed+ large: took you forever, takes you forever, takes you ages, took you ages, going to take all day
I speed+ large: taking all day, take all day, ca prend des plombes, ca dure des heures, tu mets des heures
I speed+ large: tardas un siglo, tardas una eternidad, brauchst eine ewigkeit, brauchst ewig, dauert ewig
I speed+ large: snail s pace, like a snail, slow as molasses, comme un escargot, como una tortuga, wie eine schnecke
I speed+ large: i fell asleep waiting
I speed-: what s the rush, what is the rush, what s the hurry, where s the fire, cant keep up, not a race
I speed-: cant follow you, cant follow that, rien suivi, pas une course, n arrive pas a suivre, no es una carrera
I speed-: no me da tiempo, komm nicht mit, komme nicht mit, komm nicht hinterher, kein wettrennen, could not keep up
I speed-: couldnt keep up, no te sigo, arrive pas a te suivre, too quick for me, cant follow, couldnt follow
I speed-: could not follow, hard to follow, cant keep pace, hard to keep up, difficile a suivre
I speed-: j arrive pas a suivre, j ai pas pu suivre, me cuesta seguirte, no puedo seguirte, no me da tiempo a
I speed-: komm da nicht mit, kommt man nicht mit, kommt keiner mit, made me dizzy, makes me dizzy, making me dizzy
Q volume+: fort
Q volume-: soft, softly, quiet, quietly, faint, low volume, leise gesprochen, suave
H volume+: loud, loudly, noisy, bruyant, bruyante, ruidoso, ruidosa, escandaloso, laut, laerm, luut, shouty
H volume+: screechy, shrill, loudish, sonore, tapageur, laute, laut gesprochen, gritona, griton
H volume+ large: deafening, ear splitting, earsplitting, thunderous, ohrenbetaubend, assourdissant, assourdissante
H volume+ large: ensordecedor, blaring, booming
H volume-: mumbled, leise, leis, bajito, inaudible, whispered, flojo, flojito, inaudibel, unhorbar, muffled, muted
H volume-: hushed, inaudibly, etouffe, etouffee, bajita, quedito, apagado, apagada, leiser stimme, kaum horbar
H volume-: kaum zu horen, a peine audible, apenas audible, faible
h volume+: shouting, yelling, screaming, shout, yell, scream, bellow, bellowing, crier, tu cries, tu hurles, hurler
h volume+: gritar, gritando, gritas, grites, chillar, chilles, schreien, schreist, schrei, brullen, brullst, brull
h volume+: crie, criez, screeching, screech, chillas, hurle, yelled, shouted, screamed, screaming at me, vociferar
h volume+: gueuler, gueules, tu gueules, beugler, grolen, kreischen, kreischst, plarren, blare, roar, roaring
h volume+: holler, hollering, gritarme, cries pas, crie pas, beuglant
h volume-: mumbling, whispering, mumble, whisper, muttering, mutter, marmonner, marmonnes, chuchoter, chuchotes
h volume-: murmurer, murmures, susurrar, susurras, murmurar, flustern, flusterst, nuscheln, nuschelst, murmeln
h volume-: murmelst, marmonne, chuchote, susurres, fluster, nuschel, mumbles, murmur, murmuring, whisperer, bisbiser
h volume-: tuschel, mutters, musitar, farfulles, farfullar
C volume+: louder, noisier, lauter, plus fort, luuter, mas volumen, mas fuerte, mas recio, more volume
C volume+: plus de volume, plus de son, mehr lautstarke, more loudly, more audible, more audibly, plus sonore
C volume+: plus bruyant, plus audible, mas sonoro, mas audible, vernehmlicher
C volume-: quieter, softer, leiser, moins fort, moins de bruit, less loud, menos volumen, moins de son, mas bajito
C volume-: mas flojo, mas quedo, less noise, menos ruido, plus bas le son, weniger laut, weniger larm, less noisy
C volume-: more quietly, more softly, hushed down, more quiet, moins bruyant, plus silencieux, menos ruidoso
C volume-: mas callado, mas silencioso, nicht so laut, stiller
V volume+: speak up, pipe up, crank it up, crank the sound up, turn it up, turn up the volume, turn the volume up
V volume+: turn the sound up, volume up, monte le son, monte le volume, mets plus fort, parle plus fort
V volume+: augmente le son, augmente le volume, sube el volumen, subele, subele al volumen, sube la voz
V volume+: habla mas alto, dreh auf, mach lauter, dreh lauter, sprich lauter, red lauter, raise your voice
V volume+: project your voice, turn yourself up, crank up the volume, pump up the volume, raise the volume
V volume+: hausse le ton, alza la voz, crank the volume up, sing out, belt it out, speak out, louder louder
V volume+: volume hoch, lautstarke hoch, son plus fort, mets du volume, dreh die lautstarke auf
V volume+: mach die lautstarke hoch, plus de voix, sprechen sie lauter, parlez plus fort, hable mas alto
V volume-: keep it down, turn it down, turn that down, turn down the volume, turn the volume down
V volume-: turn the sound down, volume down, volume way down, pipe down, keep your voice down, lower your voice
V volume-: lower the volume, baisse le son, baisse le volume, parle moins fort, parle plus bas, baisse d un ton
V volume-: moins de volume, baja el volumen, bajale, bajale al volumen, baja la voz, habla mas bajo, mach leiser
V volume-: dreh leiser, sprich leiser, red leiser, dreh runter, turn yourself down, take the volume down
V volume-: turn your volume down, tone down the volume, baisse la voix, bring the volume down, drop the volume
V volume-: mach das leiser, mets moins fort, hushed voice, bring the volume back down, quiet down, hush a bit
V volume-: simmer down, tone your voice down, keep the noise down, keep the volume down, turn the noise down
V volume-: lautstarke runter, volume runter, mach die lautstarke runter, un ton en dessous, baisse le ton
V volume-: moins de decibels, parlez moins fort, hable mas bajo, bajale el volumen, bajale a la voz
V volume-: baja un poco el volumen, baja el tono, dampf deine stimme, indoor voice, your inside voice
P volume+: volume, sound level, lautstarke, volumen, decibels, dezibel
I volume+: cant hear you, can not hear you, cannot hear you, couldnt hear you, cant hear u, barely hear you
I volume+: hardly hear you, hardly heard you, hardly heard it, could not hear you, cant hear it, cant hear a thing
I volume+: cant hear anything, j entends rien, je t entends pas, je n entends rien, je ne t entends pas
I volume+: on n entend rien, on t entend pas, no te oigo, no te escucho, no se te oye, no oigo nada, apenas te oigo
I volume+: hor dich nicht, hore dich nicht, hor dich kaum, hore dich kaum, ich hore nichts, verstehe dich kaum
I volume+: drowned out by, barely audible, hardly audible, can barely hear, can hardly hear, didnt hear you
I volume+: barely hear that, could barely hear, could hardly hear, barely heard, hardly heard, cant make out
I volume+: couldnt make out, cant understand a word, nobody can hear you, no one can hear you, nobody heard
I volume+: on t entend a peine, on entend rien, je t entends mal, j entends mal, je n entends pas, j entends pas
I volume+: j ai rien entendu, te oigo mal, no se oye, no se te escucha, no se escucha, casi no te oigo
I volume+: no te he oido, ich hor nichts, ich hore dich schlecht, hor dich schlecht, man hort dich kaum
I volume+: man hort dich nicht, versteh dich nicht, verstehe dich nicht, kann dich nicht horen, kann dich kaum horen
I volume+: cant catch what you, didnt catch that
I volume-: hurts my ears, hurt my ears, hurting my ears, my ears hurt, ears are ringing, my poor ears, my eardrums
I volume-: blast my ears, casses les oreilles, mal aux oreilles, reveilles le bebe, me rompes los oidos
I volume-: me duelen los oidos, despiertas al, mir fallen die ohren ab, tut in den ohren weh, weckst das baby
I volume-: weckst die, not deaf, i m not deaf, not so much noise, no soy sordo, no estoy sordo, no estoy sorda
I volume-: je suis pas sourd, je ne suis pas sourd, bin nicht taub, bin doch nicht taub, at the top of your voice
I volume-: my eardrum, could wake the dead, wirst das baby wecken, vas reveiller, vas a despertar, blow my ears
I volume-: blowing my ears, splitting my ears, burst my eardrums, bursting my eardrums, hurt the ears
I volume-: tu me casses les oreilles, me dejas sordo, me vas a dejar sordo, tu vas reveiller, vas a despertar a
I volume-: neighbours will complain, neighbors will complain, they can hear you in, hear you in the street
I volume-: you ll wake, you will wake, you re going to wake, wake the baby up
Q amplitude+: big, strong, wide, large, energetic, forceful, intense, lively, gros, grande, fuerte, heftig, ample
Q amplitude+: amplio, deep, hard, huge, strongly, dramatic, theatrical, vigorous, vigorously, enthusiastic
Q amplitude+: pronounced, expressive, broad, agite, agitee, vif, vive, dramatique, theatral, appuye, marque, enorme
Q amplitude+: intenso, brusco, brusca, marcado, agitado, ausladend, theatralisch, dramatisch, wuchtig, kraftig
Q amplitude+: gross, grosse, grosses, stark, starke, starkes
Q amplitude-: small, subtle, little movement, petit, petite, pequeno, pequena, discret, discreto, gentle, weak
Q amplitude-: slight, restrained, shy, leger, legere, debil, schwach, klein, kleine, kleines, zart, sanft, reserved
Q amplitude-: minuscule, minuscula, tiny
H amplitude+: wild, wildly, exaggerated, over the top, violent, violently, jumpy, frantic, overdone, exagere
H amplitude+: exagerado, exagerada, ubertrieben, overexcited, hyper, hyperactive, manic, excessif, gezappel
H amplitude+: overdramatic, melodramatic, excessive, bouncy, hyped, over excited, fidgety, spastic, surexcite
H amplitude+: zappelig, aufgedreht, desmadrado, exaltado, overacted, hysterical
H amplitude-: timid, half hearted, halfhearted, feeble, wimpy, listless, unenthusiastic, timide, mollement, flojera
H amplitude-: schuchtern, schlapp, zaghaft, tame, lifeless, kraftlos, poco expresivo, weedy, lacklustre, lackluster
H amplitude-: lukewarm, apathetic, inexpressive, expressionless, mechanical, unmotivated, stingy, mou, molle, tiede
H amplitude-: coince, sosa, tieso, tiesa, timida, timido, apatico, lasch, lahmarschig, mude, steif, hardly visible
H amplitude-: barely visible, invisible, imperceptible, microscopic, too teeny, teeny weeny
h amplitude+: hampelst, gigotes, gigoter, zappeln, zappelst, gesticulating, flailing, fidgeting, exageres
h amplitude+: ubertreibst, hampeln
C amplitude+: bigger, larger, stronger, wider, deeper, livelier, grosser, starker, heftiger, further, farther, giant
C amplitude+: more expressive, plus grand, plus grande, plus ample, plus loin, mas grande, mas fuerza, mas amplio
C amplitude+: bolder, fuller, more pronounced, more energetic, mas marcado, plus marque, plus expressif, ausladender
C amplitude+: mas energia, plus d energie, mehr schwung, mehr energie, kraftiger, plus franchement, more of a swing
C amplitude+: more strongly, more dramatic, more enthusiastic, more vigorous, more clearly, more visible
C amplitude+: more visibly, more intense, broader, vaster, plus fortement, plus nettement, plus energique
C amplitude+: plus intense, plus vigoureux, plus vivant, mas intenso, mas exagerado, mas expresivo, mas energico
C amplitude+: mas vivo, mas claro, mas visible, mas notable, deutlicher, energischer, intensiver, lebhafter
C amplitude+: schwungvoller, ausdrucksvoller, weiter ausholen, grosser ausholen, more animated, more lively
C amplitude+: more excited
C amplitude-: smaller, gentler, subtler, weaker, milder, kleiner, sanfter, dezenter, plus petit, plus petite
C amplitude-: plus discret, mas pequeno, mas pequena, mas discreto, less wild, moins ample, moins grand, zarter
C amplitude-: schwacher, shallower, narrower, less energy, moins d energie, menos energia, weniger heftig
C amplitude-: weniger wild, less wiggle, more subtle, more subtly, more restrained, more modest, less strong
C amplitude-: less intense, less dramatic, less excited, less energetic, moins intense, moins agite, moins vif
C amplitude-: plus sobre, plus leger, plus modere, mas leve, mas sobrio, mas contenido, menos intenso, menos fuerte
C amplitude-: menos exagerado, weniger stark, weniger ausladend, weniger dramatisch, zuruckhaltender, tamer
V amplitude+: put some heart into it, go for it, put more feeling in, put some energy into it, put more into it
V amplitude+: dont hold back, exaggerate, amplify, mets y du coeur, exagera, ponle ganas, leg dich ins zeug
V amplitude+: give it more, more oomph, really go for it, live a little, let yourself go, lache toi, sueltate
V amplitude+: trau dich, ubertreib ruhig, mehr rein, vas y franchement, dale con ganas, mas ganas
V amplitude+: put your back into it
V amplitude-: tone it down, tone that down, tone yourself down, tone down the antennas, calm it down, dial it down
V amplitude-: dial it back, take it down a notch, tone down, rein it in, ease up, lighten up on it, relajate un poco
V amplitude-: baja la intensidad, dial back, dial down, calm your, calm down your, calme, calme tes, modere, modera
V amplitude-: reduce tus movimientos, halt dich zuruck, mach halblang, fahr runter, contente toi de moins
V amplitude-: cut back on, go easy on, easy on the, don t overdo it, dont overdo it, dont exaggerate, n exagere pas
V amplitude-: no exageres, ubertreib nicht, ubertreib es nicht
P amplitude+: energy, feeling, emotion, expression, enthusiasm, oomph, passion, energie, expresion, enthousiasme
P amplitude+: schwung, gefuhl, entusiasmo, amplitude, intensity, gusto, punch, ausdruck, movement, mouvement
P amplitude+: movimiento, bounce, drama, vigour, vigor, excitement, joy, zip, zest, elan, vigueur, emphase, alegria
P amplitude+: ganas, emocion, begeisterung, freude, pep, pathos, wumms, sentiment, sentimiento
G amplitude+: wiggle, wiggled, swing, shake, shaking, nod, nodding, nodded, dance, dancing, danced, move, moving
G amplitude+: moved, bouge, bouges, mueve, mueves, beweg, bewegst, wackel, wackelst, zappel, gesticulate, bounces
G amplitude+: bouncing, flail, flails, wobble, wobbles, wiggling, swings, swinging, gesticules, remue, remues
G amplitude+: secoue, secoues, agites, sacude, sacudes, agitas, meneas, menea, wippst, wippen, schuttelst, schwingst
G amplitude+: tanzt, bewegen, mover, bouger
I amplitude+: hardly moved, barely moved, hardly saw you move, barely twitched, hardly saw it, barely saw it
I amplitude+: hardly noticed, barely noticed, t as a peine bouge, tu bouges a peine, casi no te has movido
I amplitude+: apenas te mueves, kaum bewegt, bewegst dich kaum, apenas te has movido, barely saw you move
I amplitude+: barely moving, hardly moving, barely a twitch, hardly a movement, barely a movement
I amplitude+: hardly any movement, didnt see you move, did you even move, j ai rien vu, on voit rien bouger
I amplitude+: tu n as pas bouge, as tu bouge, no se nota, ni se nota, casi no se nota, no te has movido
I amplitude+: kaum zu sehen, sieht man kaum, hat man kaum gesehen, put some life into it
I amplitude-: giving me motion sickness, donnes le tournis, overdid it, overdoing it, overdone it, overshot it
I amplitude-: te has pasado de largo, overreacting, overreacted, you overdo it
Q duration+: lengthy, longtemps
Q duration-: early, soon, brief, bref, tot, fruh
H duration+: endless, interminable, never ending, neverending, eterno, eterna, endlos, ewig, drawn out, long, longue
H duration+: largo, larga, lang, longish, protracted, prolonged, overlong, interminables, longuet, larguisimo
H duration+: larguisima, ewiges, langatmig, lange, langes
H duration-: short, abrupt, abgehackt, corto, corta, court, courte, kurz, shortish, fleeting, momentary, curtailed
H duration-: cortito, cortita, kurze, kurzes
C duration+: longer, lengthier, langer, plus longtemps, mas tiempo, mas largo, mas larga, plus long, plus longue
C duration+: twice as long, mas rato, mas duradero, plus durable, twice the length, doppelt so lang
C duration+: deux fois plus long, deux fois plus longtemps, el doble de largo, el doble de tiempo, for longer
C duration+: longer lasting, un rato mas, noch langer
C duration-: shorter, briefer, sooner, kurzer, plus court, plus courte, mas corto, mas corta, mas breve
C duration-: half as long, plus bref, moins longtemps, menos tiempo, half the length, less long, plus vite fini
C duration-: halb so lang, la mitad de largo, la mitad de tiempo, moitie moins long, less lengthy, nicht so lange
C duration-: pas si longtemps, no tanto tiempo, a quicker end, menos largo, moins long, weniger lang
V duration+: make it last, stretch it out, draw it out, lengthen it, prolong it, rallonge, prolonge, alarga
V duration+: verlangere, zieh es in die lange, hold that pose until, keep the pose until, lengthen, prolong
V duration+: keep going longer, drag it out, extend it, rallonge le, prolonge le, fais durer, faites durer
V duration+: haz que dure, hazlo durar, zieh es langer, stay longer, hold for longer
V duration-: wrap it up, shorten it, cut it short, raccourcis, abrege, acorta, acortalo, abrevia, kurz es
V duration-: make it quick, mach s kurz, kurze es, shorten, kurzen, hurry up and finish, cut the song short
V duration-: speed to the end, abrevie, trim it, cut it down, reduce la duracion, raccourcir, acortar, kurz das ab
V duration-: kurz den, kurz die, ecourte, cut short
G duration+: hold it, hold that, stay there, last, lasted, tiens, reste, aguanta, mantente, bleib, durar, dure
G duration+: dauern, halt, halte, keep the pose, keep looking, hold the pose, keep that pose, hold that pose, linger
G duration+: lingered, rester, tenir, mantener, mantenlo, mantenla, quedate, halten, bleiben, verweile
G duration+: hold the look, tenla, tenlo, dura, duro, duraba, dauert, dauerte, gehalten, hold, stay
I duration+: over before i, stopped too early, stopped too soon, ended too early, why did you stop, aguanta mas
I duration+: was that it already, stopped in the middle, dont stop so soon, stopped halfway, over too quickly
I duration+: over too soon, over so fast, already over, deja fini, c est deja fini, ya se acabo, schon vorbei
I duration+: schon zu ende, schon fertig, dont stop yet, cut it off too early, why did it stop, ended too soon
I duration+: finished too early, finished too soon
I duration-: when will you be done, are you done yet, still going on about it, dauert ja ewig, goes on forever
I duration-: dragged on, drags on, dragging on, goes on and on, went on and on, went on forever, going on forever
I duration-: on forever, never ends, will it ever end, when does it end, n en finit pas, n en finit plus
I duration-: traine en longueur, se hace eterno, se hace largo, no acaba nunca, nunca termina, zieht sich
I duration-: hort gar nicht mehr auf, nimmt kein ende, is it over yet, is it finished yet
Q count+: often, frequently, souvent, a menudo, oft, haufig, many times, frequent, constantly, repeatedly
Q count+: souvent de suite, frecuente, oftmals, dauernd, standig
Q count-: rarely, seldom, few, few times, rare, rarement, peu souvent, pocas veces, poco a menudo, selten
Q count-: infrequently
H count+: repetitive, repetitif, repetitivo
h count+: repeat, repeating, repite, repitas, repetes, wiederhol, wiederholst, repeat yourself, repeating yourself
h count+: keep repeating, keeps repeating, keep nodding, keep waving, repetir, repites, repeter, te repetes
h count+: wiederholen, keep saying
C count+: more often, more times, more frequently, plus souvent, mas a menudo, mas veces, ofter, haufiger
C count+: more than once, plus de fois, veces mas, some more times, a few more times, mehrmals, einmal ofter
C count+: more of those, few more of those, several times, many more times, multiple times, plusieurs fois
C count+: varias veces, ein paar mal mehr, noch ein paar mal, noch zweimal, noch dreimal, two more times
C count+: three more times, twice more, once more often, deux fois de plus, dos veces mas, another few times
C count+: more repetitions, more nods, more waves, plus frequemment, con mas frecuencia, ofters, one more of those
C count-: less often, fewer times, moins souvent, menos veces, seltener, weniger oft, fois de moins, vez menos
C count-: veces menos, moins de fois, einmal weniger, less frequently, just the once, menos a menudo, not as often
C count-: fewer repetitions, less frequent, once less, not every time, fewer nods, less repetition
C count-: moins de repetitions, menos repeticiones, weniger wiederholungen, one fewer, one less, two fewer
C count-: uno menos, un de moins, eins weniger, nicht so oft, pas si souvent, no tan a menudo, no tan seguido
C count-: menos seguido, con menos frecuencia, moins frequemment
P count+: times, nods, waves, blinks, spins, repetitions, repeats, jokes, shakes, wiggles, turns, winks, bows, fois
P count+: veces, male, beeps, hochements, saludos, blagues, chistes, witze, repeticiones, wiederholungen
P count+: nickbewegungen, vueltas, reverencias, verbeugungen
I count-: once is enough, one is enough, twice is plenty, twice is enough, once is plenty, two is enough
I count-: once will do, two will do, une fois suffit, con una vez sobra, con una vez basta, einmal reicht
I count-: zweimal reicht, einmal genugt, once would do, once would be enough, une fois c est assez
I count-: una vez es suficiente, deux fois suffisent, one nod is enough, one wave is enough, tantas veces
I count-: tant de fois, that many times, this many times, so many times, quite so many, once was enough
I count-: twice was enough, one was enough, one would do, one will do, one would be enough, une seule fois suffit
I count-: une suffit, con una basta, con una sobra, con uno basta, einer reicht, einmal hatte gereicht
I count-: einmal ist genug, zweimal ist genug, only need one, only need to do it once, not ten times
I count-: not a hundred times, fifty times, cent fois, cien veces, hundertmal, tausendmal
Q distance+: distant, far away, lejos, loin, weit weg, far back, remote, eloigne, alejado, lejano, entfernt, fern
Q distance+: far off, weit entfernt, weit hinten
Q distance-: close, near, pres, cerca, nah, proche, dicht, nearby, colle, proches, rapproche, pegado, arrimado, nahe
Q distance-: dicht dran
H distance-: in my face, in my personal space, auf der pelle, encima de mi, colle a moi
h distance-: crowding, crowd, invading my space, crowd me, crowding me, invade my space, in my space, get in my face
h distance-: up in my face, pegarte, coller, kleben, klebst
C distance+: further back, further away, farther away, farther back, plus loin de moi, weiter weg, weiter zuruck
C distance+: mas lejos, more distance, plus de distance, mehr abstand, mas distancia, further off, plus en arriere
C distance+: mas atras, further from, farther from, plus loin de, mas lejos de, mas alejado, plus eloigne
C distance+: plus en retrait, more space, more room, plus d espace, mas espacio, mehr platz, mehr distanz
C distance+: ein stuck zuruck, weiter entfernt, less close, moins pres, menos cerca, weniger nah, further out
C distance-: closer, nearer, naher, plus pres, mas cerca, dichter, naher ran, naher heran, closer in, naher dran
C distance-: more close, more near, plus proche, mas proximo, naher zu mir, naher an, naher zu, less far, moins loin
C distance-: menos lejos, further forward, further in, plus en avant, mas adelante, weiter vor, weiter ran
V distance+: back off a bit, back off a little, stand back, move back, move away, step back a bit, keep away from
V distance+: alejate, keep your distance, keep more distance, recule un peu, recule toi, eloigne toi, echate atras
V distance+: apartate un poco, geh weg von mir, ruck ab, halt abstand, back up a bit, back up a little, back away
V distance+: pull back, keep back, scoot back, sit back, lean away, get back a bit, go back a bit
V distance+: pull your head back, move your head back, stand further back, prends du recul, ecarte toi, pousse toi
V distance+: hazte para atras, echate para atras, retirate un poco, separate un poco, geh ein stuck zuruck
V distance+: ruck ein stuck weg, tritt zuruck, weiche zuruck, bleib weg, give me space, give me some space
V distance+: give me room, give me some room
V distance-: come closer, come nearer, move closer, lean in, approche toi, rapproche toi, approche, acercate
V distance-: arrimate, komm naher, ruck naher, ruck heran, get closer, komm ran, come over here a bit
V distance-: come in closer, step closer, lean closer, lean forward, come here a bit, scoot closer, viens plus pres
V distance-: avance un peu, pegate mas, arrimate mas, ven mas cerca, ven aca un poco, komm etwas ran
V distance-: komm ein stuck naher, beug dich vor
P distance+: distance, abstand, distancia, space, breathing room, breathing space
Q talk+: much talking, talkative, chatty, wordy, verbose, detailed, bavard, hablador, parlanchin, gesprachig
Q talk+: explicit, ausfuhrlich, wortreich, extenso, prolixo, explicatif, detaille, detallado
Q talk-: terse
H talk+: long winded, longwinded, blabla, bla bla, blah blah, endless talking, chattery, waffly, rambly, verbeux
H talk+: verbosa, verboso, charlatan, geschwatzig, redselig, over explained
H talk-: tight lipped, taciturn, curt, monosyllabic, wortkarg, einsilbig, taciturne, uncommunicative, tacit, laconic
H talk-: laconique, laconico, maulfaul, silencieux, muet, mudo, callado, callada, stumm, schweigsam
h talk+: rambling, babbling, blabbering, waffling, yapping, chattering, babble, ramble, rambled, droning, parlotear
h talk+: enrollarte, te enrollas, quasselst, laberst, quatschst, babbel, tu bavardes, waffle, plapperst, lecturing
h talk+: lecture me, rabbiting on, bavarder, quasseln, labern, plappern, chatter, te enrolles, blab, blabber
h talk+: prattle, prattling, jabber, jabbering, natter, nattering, over explain, overexplain, over explaining
h talk+: lecturing me, blablater, blablates, jacasser, jacasses, bavardes, papoter, cotorrear, parloteas, charlar
h talk+: schwafeln, schwafelst, schwatzen, schwatzt, sabbeln, sabbelst, faseln, textest, monologuing
h talk-: stingy with words
C talk+: more words, more detail, more details, more explanation, more explaining, more information, more info
C talk+: plus de details, mas detalle, mas detalles, mehr details, mehr worte, longer answer, longer answers
C talk+: longer explanation, more talkative, longer story, more context, reponse plus longue, respuesta mas larga
C talk+: langere antwort, ausfuhrlicher, more depth, mas palabras, plus de mots, more chatty, chattier
C talk+: more about it, tell me more, dis m en plus, cuentame mas, fuller answer, fuller answers, longer sentences
C talk+: longer replies, full sentences, more complete, plus detaille, plus complet, mas detallado, mas completo
C talk+: mas extenso, mas explicacion, detaillierter, genauer, mehr infos, mehr information, mehr erklarung
C talk+: plus d explications, plus d infos, more elaborate
C talk-: fewer words, less words, less talk, less talking, less chatter, less detail, shorter answer
C talk-: shorter answers, shorter explanation, shorter explanations, shorter sentences, shorter replies
C talk-: shorter reply, short version, moins de mots, moins de details, menos palabras, menos detalles
C talk-: weniger worte, weniger details, reponse plus courte, reponses plus courtes, respuesta mas corta
C talk-: respuestas mas cortas, kurzere antwort, less explaining, kurzere antworten, kurzere satze, more concise
C talk-: briefer answers, fais plus court, plus concis, mas conciso, knapper, less chatty, less wordy, short answer
C talk-: less information, less explanation, less rambling, briefer answer, crisper, more succinct, more brief
C talk-: pithier, shorter story, one sentence answers, moins bavard, menos hablador, menos rollo, menos charla
C talk-: menos explicacion, moins d explications, weniger erklarung, weniger gerede, weniger text
C talk-: kurzer und knapper, kurz und knapp, less of a lecture, the short version, version courte, version corta
C talk-: kurzfassung, kurzversion, less long winded
V talk+: elaborate, go into detail, expand on that, developpe, explayate, fuhr das aus, describe it properly
V talk+: tell me the whole story, spell it out, developpe un peu, explicate mejor, explicalo mas, erklar es genauer
V talk+: geh ins detail, be more specific, be more detailed, give more detail, say a few words, add some detail
V talk-: fass dich kurz, fass dich kurzer, fais court, sois bref, se breve, be brief, keep it short, keep it brief
V talk-: get to the point, cut to the chase, spare me the details, spare me the lecture, va al grano, ve al grano
V talk-: viens en au fait, komm auf den punkt, komm zum punkt, in a nutshell, abrege ton discours, al grano
V talk-: make it brief, keep it concise, keep it simple, sum it up, summarise, summarize, be concise, be succinct
V talk-: resumelo, en resume, sois concis, sois plus bref, sintetiza, fass zusammen, fasse dich kurz, mach s kurzer
V talk-: komm zur sache, en bref, en corto, get on with it, skip the details, skip the lecture, skip the explanation
V talk-: cut the chatter, cut the waffle
P talk+: words, detail, details, explanation, mots, palabras, worte, satze, phrases, sentences, explanations, rollo
P talk+: charla, gerede, explicaciones, erklarungen, explications
G talk+: talk, talking, say, tell, told, talked, speak about, parles, hablas, redest, parle, habla, red, rede, sag
G talk+: dis, cuenta, erzahl, raconte, explain, quatsch, di, cuentame, dime, speak, spoke, speaking, elaborating
G talk+: reden, sprechen, sprichst, parler, hablar, decir, dices, sagst, erklar, explique, explica, parlez, hable
G talk+: say about it, explicalo, chat, chatting
I talk+: cat got your tongue, is that all you have to say, cuentame algo mas, one word answers, you said nothing
I talk+: not a word from you, that s all you say, c est tout ce que, eso es todo lo que, ist das alles was
I talk+: nothing more to say
I talk-: talk too much, talks too much, talking too much, talk so much, talking so much, parles trop
I talk-: hablas demasiado, hablas mucho, redest zu viel, redest so viel, quasselst zu viel, quasselst viel zu viel
I talk-: you do go on, you go on and on, ja oder nein genugt, too many words, trop de mots, demasiadas palabras
I talk-: zu viele worte, no hables tanto, parle pas tant, red nicht so viel, babbel net so viel, half the words
I talk-: enough talking, te enrollas mucho, one word too many, didnt ask for a lecture, parlez trop, talk nonstop
I talk-: never stop talking, never shut up, won t shut up, wont shut up, wouldnt shut up, stop talking so much
I talk-: arretes pas de parler, n arretes pas de parler, no paras de hablar, horst nicht auf zu reden, a yes or no
I talk-: yes or no would, un oui ou un non, un si o un no, ein ja oder nein, un oui suffit, un si basta
I talk-: ein ja reicht, ein ja genugt, talking my ear off, talk my ear off, didnt ask for an essay
I talk-: didnt ask for a speech, no te pedi un discurso, pas besoin d un roman, keinen roman, kein roman
I talk-: te enrollas como, hablas por los codos
"""

SIZES = """
tiny: a hair, a whisker, smidge, smidgen, a smidge, a smidgen, a touch, a fraction, teeny, teeny bit, tiny bit
tiny: a tiny bit, teensy bit, teeniest bit, tiniest bit, tiniest amount, ever so slightly, a millimetre, one click
tiny: a click, a pinch, an eyelash, a gnat s whisker, half a second, un chouia, un chouya, un poil
tiny: un tout petit peu, un rien, un cheveu, un iota, une once, un pelin, una pizca, un poquitin, un poquitito
tiny: un pelo, un segundito, una miaja, un milimetro, eine spur, ein haar, einen tick, ein tick, einen ticken
tiny: ein ticken, ein muh, eine idee, minimal, ein tickchen, ein klein wenig, ein winziges, winzig, einen hauch
tiny: ein hauch, einen fingerbreit, ein klitzekleines, klitzekleines bisschen, barely a touch, a speck
tiny: petite seconde, une petite seconde, winzigen, winzigen moment, winziges bisschen, segundito, the slightest
tiny: une miette, un micro poil, un pelito, hauchdunn, just a hair, infinitesimally, fractionally, marginally
tiny: a millimeter, a crumb, a jot, a whit, a smudge, a dash, un tantinet, un soupcon, un micropoil, un pouieme
tiny: una chispa, una chispita, una nada, un pelillo, una gota, un pizquita, una pizquita, apenas
tiny: ein klitzekleines bisschen, ein bissel, einen touch, ein quantchen, ein kleines bisschen, ein mini
tiny: eine nuance, einen millimeter, ein minibisschen, the tiniest, one notch, just barely, infinitesimal
tiny: a wee hair, teeny tiny, petit poil, un petit poil, una miajita, un dedo, einen zacken, ein zacken
tiny: one millimetre, a hair s breadth, a single degree, an iota
small: bit, a bit, bits, a little, little, little bit, a little bit, lil, lil bit, slightly, somewhat, a tad, tad
small: a notch, notch, a shade, wee bit, a trifle, kinda, kind of, sort of, a couple, a few, an inch, inch
small: another inch, un peu, legerement, un petit peu, un poco, poquito, un poquito, ligeramente, algo, tantito
small: un chin, rayitas, ein bisschen, bisschen, bischen, ein wenig, etwas, leicht, ein stuck, ein stuckchen
small: stuckchen, a bisserl, bisserl, bissi, bissl, a bissl, a bissi, bitzeli, echli, ein bissle, bissle, bisken
small: un cran, quelque peu, un pas, nudge, a nudge, petit moment, un petit moment, kleinen moment, a mite, mildly
small: a second, two fingers, a finger, a wee, just a bit, un poquillo, plutot, a few centimetres, a few centimeters
small: an inch or two, a fingers width, a little way, a few degrees, a couple of degrees, un brin, un petit coup
small: un bout, un petit bout, una poca, un cachito, cachito, un trocito, un pasito, un poquitico, ein paar grad
small: ein paar zentimeter, ein stuckerl, ein stuck weit, faintly, moderately, a smallish, quelques degres
small: unos grados, un tanto, a moment, einen moment, un moment, un momento, one inch, another notch, two notches
large: way, way way, much, far, a lot, lots, lots and lots, loads, a good deal, a good bit, a great deal, heaps
large: hugely, massively, extremely, miles, by a mile, a mile, tons, considerably, significantly, twice, well to
large: waaay, waay, super, beaucoup, vraiment, nettement, enormement, carrement, franchement, vachement, mucho
large: mucha, muchisimo, bastante, demasiadisimo, un monton, viel, viel viel, deutlich, wesentlich, ganz viel
large: ganz weit, erheblich, extrem, total, richtig, meilenweit, massiv, weitaus, mega, krass, a whole lot
large: whole lot, a ton, a million times, a hundred times, completement, by far, immensely, drastically
large: dramatically, substantially, vastly, enormously, largement, sacrement, grandement, bien bien, bien trop
large: bien plus, bien moins, tres tres, muy muy, harto, un resto, mogollon, un chorro, ungemein, gewaltig
large: sehr viel, um einiges, um langen, ein ganzes stuck, ein gutes stuck, horrorhaft, a good inch, a whole bunch
"""
"""How much, in words."""
