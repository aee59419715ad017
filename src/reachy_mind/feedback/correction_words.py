"""The poles of corrections in English, French, Spanish and German, and words for how much.
A line has a tag, an axis with its sign, and phrases with commas between them. Words are without accents, capitals and
apostrophes. A phrase is in the first line that has it; the longest phrase at a place wins.
Q  a quality of what was done ("fast"); too much of it asks for the opposite
H  a quality that is a fault by its nature ("sluggish")
h  a habit that is a fault ("shout"); without it is asked for
C  a comparative, which asks for itself ("faster")
D  a direction ("left")
A  a verb of raising or lowering
P  a noun of an axis ("volume"): more or less of it
G  a verb that can be done more or less ("talk more")
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
P speed+: pace, tempo, vitesse, velocidad, geschwindigkeit, rhythm, rythme, ritmo, the speed, your speed, ta vitesse
P speed+: tu velocidad, deine geschwindigkeit
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
P volume+: volume, sound level, lautstarke, volumen, decibels, dezibel
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
P amplitude+: energy, feeling, emotion, expression, enthusiasm, oomph, passion, energie, expresion, enthousiasme
P amplitude+: schwung, gefuhl, entusiasmo, amplitude, intensity, gusto, punch, ausdruck, movement, mouvement
P amplitude+: movimiento, bounce, drama, vigour, vigor, excitement, joy, zip, zest, elan, vigueur, emphase, alegria
P amplitude+: ganas, emocion, begeisterung, freude, pep, pathos, wumms, sentiment, sentimiento
G amplitude+: wiggle, wiggled, swing, shake, shaking, nod, nodding, nodded, dance, dancing, danced, move, moving
G amplitude+: moved, bouge, bouges, mueve, mueves, beweg, bewegst, wackel, wackelst, zappel, gesticulate, bounces
G amplitude+: bouncing, flail, flails, wobble, wobbles, wiggling, swings, swinging, gesticules, remue, remues
G amplitude+: secoue, secoues, agites, sacude, sacudes, agitas, meneas, menea, wippst, wippen, schuttelst, schwingst
G amplitude+: tanzt, bewegen, mover, bouger
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
G duration+: hold it, hold that, stay there, last, lasted, tiens, reste, aguanta, mantente, bleib, durar, dure
G duration+: dauern, halt, halte, keep the pose, keep looking, hold the pose, keep that pose, hold that pose, linger
G duration+: lingered, rester, tenir, mantener, mantenlo, mantenla, quedate, halten, bleiben, verweile
G duration+: hold the look, tenla, tenlo, dura, duro, duraba, dauert, dauerte, gehalten, hold, stay
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
P distance+: distance, abstand, distancia, space, breathing room, breathing space
Q talk+: much talking, talkative, chatty, wordy, verbose, detailed, bavard, hablador, parlanchin, gesprachig
Q talk+: explicit, ausfuhrlich, wortreich, extenso, prolixo, explicatif, detaille, detallado
Q talk-: terse
H talk+: long winded, longwinded, blabla, bla bla, blah blah, endless talking, chattery, waffly, rambly, verbeux
H talk+: verbosa, verboso, charlatan, geschwatzig, redselig, over explained
H talk-: tight lipped, taciturn, curt, monosyllabic, wortkarg, einsilbig, taciturne, uncommunicative, tacit, laconic
H talk-: laconique, laconico, maulfaul, silencieux, muet, mudo, callado, callada, stumm, schweigsam
h talk+: rambling, babbling, blabbering, waffling, yapping, chattering, babble, ramble, rambled, droning, parlotear
h talk+: enrollarte, te enrollas, quasselst, laberst, quatschst, tu bavardes, waffle, plapperst, lecturing
h talk+: lecture me, rabbiting on, bavarder, quasseln, plappern, chatter, te enrolles, blab, blabber, prattle
h talk+: prattling, jabber, jabbering, natter, nattering, over explain, overexplain, over explaining, lecturing me
h talk+: blablater, blablates, jacasser, jacasses, bavardes, papoter, cotorrear, parloteas, charlar, schwafeln
h talk+: schwafelst, schwatzen, schwatzt, sabbeln, sabbelst, faseln, textest, monologuing
h talk-: stingy with words
C talk+: more words, more detail, more details, more explanation, more explaining, more information, more info
C talk+: plus de details, mas detalle, mas detalles, mehr details, mehr worte, longer answer, longer answers
C talk+: longer explanation, more talkative, more context, reponse plus longue, respuesta mas larga, langere antwort
C talk+: ausfuhrlicher, more depth, mas palabras, plus de mots, more chatty, chattier, more about it, tell me more
C talk+: dis m en plus, cuentame mas, fuller answer, fuller answers, longer sentences, longer replies
C talk+: full sentences, more complete, plus detaille, plus complet, mas detallado, mas completo, mas extenso
C talk+: mas explicacion, detaillierter, genauer, mehr infos, mehr information, mehr erklarung, plus d explications
C talk+: plus d infos, more elaborate
C talk-: fewer words, less words, less talk, less talking, less chatter, less detail, shorter answer
C talk-: shorter answers, shorter explanation, shorter explanations, shorter sentences, shorter replies
C talk-: shorter reply, short version, moins de mots, moins de details, menos palabras, menos detalles
C talk-: weniger worte, weniger details, reponse plus courte, reponses plus courtes, respuesta mas corta
C talk-: respuestas mas cortas, kurzere antwort, less explaining, kurzere antworten, kurzere satze, more concise
C talk-: briefer answers, fais plus court, plus concis, mas conciso, knapper, less chatty, less wordy, short answer
C talk-: less information, less explanation, less rambling, briefer answer, crisper, more succinct, more brief
C talk-: pithier, one sentence answers, moins bavard, menos hablador, menos rollo, menos charla, menos explicacion
C talk-: moins d explications, weniger erklarung, weniger gerede, weniger text, kurzer und knapper, kurz und knapp
C talk-: less of a lecture, the short version, version courte, version corta, kurzfassung, kurzversion
C talk-: less long winded
P talk+: words, detail, details, explanation, mots, palabras, worte, satze, phrases, sentences, explanations, rollo
P talk+: charla, gerede, explicaciones, erklarungen, explications
G talk+: talks, hables, hablen, redet, parlez, quassel, babbel, labern, quatschen, talk, talking, say, tell, told
G talk+: talked, speak about, parles, hablas, redest, parle, habla, red, rede, sag, dis, cuenta, erzahl, raconte
G talk+: explain, quatsch, di, cuentame, dime, speak, spoke, speaking, elaborating, reden, sprechen, sprichst
G talk+: parler, hablar, decir, dices, sagst, erklar, explique, explica, hable, say about it, explicalo, chat
G talk+: chatting
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
