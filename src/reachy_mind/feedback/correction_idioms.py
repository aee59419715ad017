"""Phrases that are corrections as they are, in English, French, Spanish and German.

A line has a tag, an axis with its sign, for some the size that is meant, and phrases with commas between them.

V  an order to change ("slow down")
I  an idiom that says it all ("I can't hear you")
"""

from __future__ import annotations

IDIOMS = """
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
I amplitude-: zu weit gedreht, you overdid it
I yaw+: left of where, to the left of that, left of that, it s on your left, left hand side, links davon
I yaw+: a gauche de la ou, a la izquierda de donde, links von da
I yaw-: right of where, to the right of that, right of that, it s on your right, right hand side, rechts davon
I yaw-: a droite de la ou, a la derecha de donde, rechts von da
I pitch+: above where, above that, higher than where, up from there, uber dem wo, au dessus de la ou, arriba de donde
I pitch+: raise your gaze, lift your head, raise your head, lift your gaze, chin up, leve la tete, levanta la cabeza
I pitch+: heb den kopf, kopf hoch
I pitch-: below where, below that, lower than where, down from there, unter dem wo, en dessous de la ou, debajo de donde
I pitch-: lower your gaze, lower your head, drop your head, chin down, baisse la tete, baja la cabeza, senk den kopf
I pitch-: kopf runter
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
I amplitude+: hardly moved, barely moved, hardly saw you move, barely twitched, hardly saw it, barely saw it
I amplitude+: hardly noticed, barely noticed, t as a peine bouge, tu bouges a peine, casi no te has movido
I amplitude+: apenas te mueves, kaum bewegt, bewegst dich kaum, apenas te has movido, barely saw you move
I amplitude+: barely moving, hardly moving, barely a twitch, hardly a movement, barely a movement
I amplitude+: hardly any movement, didnt see you move, did you even move, j ai rien vu, on voit rien bouger
I amplitude+: tu n as pas bouge, as tu bouge, no se nota, ni se nota, casi no se nota, no te has movido
I amplitude+: kaum zu sehen, sieht man kaum, hat man kaum gesehen, put some life into it
I amplitude-: giving me motion sickness, donnes le tournis, overdid it, overdoing it, overdone it, overshot it
I amplitude-: te has pasado de largo, overreacting, overreacted, you overdo it
V duration+: make it last, stretch it out, draw it out, lengthen it, prolong it, rallonge, prolonge, alarga
V duration+: verlangere, zieh es in die lange, hold that pose until, keep the pose until, lengthen, prolong
V duration+: keep going longer, drag it out, extend it, rallonge le, prolonge le, fais durer, faites durer
V duration+: haz que dure, hazlo durar, zieh es langer, stay longer, hold for longer
V duration-: wrap it up, shorten it, cut it short, raccourcis, abrege, acorta, acortalo, abrevia, kurz es
V duration-: make it quick, mach s kurz, kurze es, shorten, kurzen, hurry up and finish, cut the song short
V duration-: speed to the end, abrevie, trim it, cut it down, reduce la duracion, raccourcir, acortar, kurz das ab
V duration-: kurz den, kurz die, ecourte, cut short
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
I count-: once is enough, one is enough, twice is plenty, twice is enough, once is plenty, two is enough
I count-: once will do, two will do, une fois suffit, con una vez sobra, con una vez basta, einmal reicht
I count-: zweimal reicht, einmal genugt, once would do, once would be enough, une fois c est assez
I count-: una vez es suficiente, deux fois suffisent, one nod is enough, one wave is enough, tantas veces
I count-: tant de fois, that many times, this many times, so many times, quite so many, once was enough
I count-: twice was enough, one was enough, one would do, one will do, one would be enough, une seule fois suffit
I count-: une suffit, con una basta, con una sobra, con uno basta, einer reicht, einmal hatte gereicht
I count-: einmal ist genug, zweimal ist genug, only need one, only need to do it once, not ten times
I count-: not a hundred times, fifty times, cent fois, cien veces, hundertmal, tausendmal
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
I talk+: cat got your tongue, is that all you have to say, cuentame algo mas, one word answers, you said nothing
I talk+: not a word from you, that s all you say, c est tout ce que, eso es todo lo que, ist das alles was
I talk+: nothing more to say
I talk-: you do go on, you go on and on, ja oder nein genugt, too many words, trop de mots, demasiadas palabras
I talk-: zu viele worte, half the words, enough talking, te enrollas mucho, one word too many
I talk-: didnt ask for a lecture, talk nonstop, never stop talking, never shut up, won t shut up, wont shut up
I talk-: wouldnt shut up, stop talking so much, arretes pas de parler, n arretes pas de parler, no paras de hablar
I talk-: horst nicht auf zu reden, a yes or no, yes or no would, un oui ou un non, un si o un no, ein ja oder nein
I talk-: un oui suffit, un si basta, ein ja reicht, ein ja genugt, talking my ear off, talk my ear off
I talk-: didnt ask for an essay, didnt ask for a speech, no te pedi un discurso, pas besoin d un roman, keinen roman
I talk-: kein roman, te enrollas como, hablas por los codos
"""
