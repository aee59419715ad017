"""The words around the poles of a correction (`feedback.correction_words`), in English, French, Spanish and German.

T  too    S  so    v  very    M  more    L  less    E  enough    N  not    K  stop doing
U  no need to, must you, why so    R  tilting: left and right are then a roll    r  a tilt that is found fault with    X  overshooting
G  a verb of moving or talking    W  a wish    w  what should have been, or another try
Y  the robot, what it did and what it did it with    O  somebody else    Z  a determiner
B  but    c  because, if    J  and    p  praise    f  blame    t  words for somebody else    F  filler words    n  a number    d  degrees
"""

from __future__ import annotations

CONTEXT = """
T: too, trop, demasiado, demasiada, demasiadas, demasiados, zu, overly, excessively, allzu, excesivamente, too many
T: trop de, zu viele
S: so, that, this, si, tellement, tan, tanto, tanta, that much, this much, so much, quite so, such, as, aussi
S: dermassen, derart, all that, autant, tant, such a, gar so, ganz so, so sehr, quite as, nearly as, half as, pareil
v: very, tres, muy, sehr, really, exactly, particularly, especially, ganz schon, quite, gerade, precisamente
v: precisement, not exactly, gar, besonders, specialement, especialmente
M: more, plus, mas, mehr, encore, weiter, noch, noch mehr, some more, further over, another, even, even more, meh
M: keep going, keep coming, keep turning, carry on turning, still more, keep moving, further round, moar, de plus
M: over there, over here, sigue, continue, encore plus, todavia mas, aun mas
L: less, fewer, moins, menos, weniger, less of
E: enough, assez, suficiente, suficientemente, genug, lo bastante, suffisamment, ausreichend
N: neither, couldnt, couldnt have, not, dont, do not, doesnt, didnt, isnt, wasnt, arent, werent, no, non, pas, nicht, kein
N: keine, nit, net, ned, never, ne, sans, without, nunca, jamais, nie, ni, nor, havent, hasnt, wouldnt, cant, cannot
N: stop being, hardly, nope, nein, aint, wont, nada, aucun, aucune, ningun, tampoco, no longer, not any more
N: hardly ever
K: stop, quit, stops, enough with the, enough with, cease, arrete de, arretez de, deja de, para de, hor auf
K: hor auf zu, would you stop, please stop, hoer auf, arrete, enough of the
U: no need to, no need for, doesnt have to be, dont have to, dont need to, pas besoin de, hace falta que
U: brauchst nicht zu, do you have to, must you, need to be so, does it have to be, why are you, why so, why is it
U: why do you, pourquoi tu, por que vas, por que hablas, warum bist du, warum so, necessary to
U: was it really necessary to, there is no need to, there s no need to, no hace falta, il faut pas, pourquoi es tu
U: warum redest du, do you need to, why must you, why did you, why does it have to be, pourquoi si, por que tan
U: muss das, hate how, cant stand how, sick of how, tired of how, annoys me how, nervt wie, me molesta lo
U: does it have to be that
W: could, couldnt you, cant you, can, would, want, need, needs, try, make it, make, be, hoping, podrias, puedes
W: quiero, prefiero, tu pourrais, tu peux, peux tu, pourrais tu, j aimerais, je veux, prefere, konntest, kannst
W: mochte, wunsche, bitte, por favor, s il te plait, stp, svp, sil te plait, pls, plz, mach, fais, fais le, hazlo
W: haz, please, have to, why dont you, hay que, can i get, can i have, you might want to, expecting, let s, let us
W: could we have, debes, keep, can we have, give me, noch mal, nochmal, nochmals, otra vez, de nouveau
W: encore une fois, wanted, what i want is, what i need is, all i want is, like it, like you, wants to be
W: needs to be, muss, one more time, 1 more time, one more go, say it again, repeat that, instead of that, id like
W: i d like, i d love, would love it
w: should, shouldnt, ought to, ought, wish, if only, next time, instead, supposed to, better if, i said, told you
w: clearly said, i meant, ideally, tu devrais, deberias, solltest, musst, j ai dit, ich sagte, he dicho, you need to
w: nachstes mal, beim nachsten mal, la prochaine fois, la proxima vez, i asked for, try again, do it again, again
w: start over, once more, do it over, take two, retry, redo, tienes que, must, prefer, i d prefer, i d rather
w: in future, in the future, from now on, be happier with, i asked you to, i told you to, wanted you to, i told you
w: i wanted, hatte gern, sollte, deberia, devrait, doit etre, debe ser, soll, i asked, would have been
w: should have been, should have, shouldve, haette, hatte, better with, nicer if, better when
R: tilt, tilted, lean, leaned, tip, tipped, cock, cocked, roll, penche, penchee, penches, incline, inclinee, bascule
R: inclina, inclinado, ladea, ladeado, ladeada, neig, neige, neigen, geneigt, kipp, kippe, kippen, gekippt, penchez
R: inclinate, leg den kopf, tip your head, rolled over, ladeate, tuercela, inclinala, tilt it, tip it, tipping
R: cocking, kopf schief, neigung, inclinaison, inclinacion, pencher, incliner, basculer, inclinar, ladear
R: legst den kopf
X: te has pasado, has pasado, te pasaste, pasado, du bist zu, drifted, drifting, overshot, overshoot, drift, vorbei
X: strayed, straying, derives, te pasas
G: tone, look, looking, turn, turning, go, going, face, facing, rotate, swivel, point, pointing, aim, aiming, sing
G: read, wave, waving, regarde, tourne, va, lis, chante, danse, hoche, cligne, mira, gira, ve, lee, canta, baila
G: asiente, parpadea, schau, schaue, guck, dreh, drehe, geh, sprich, lies, tanz, tanze, nick, nicke, winke, blinzle
G: come, komm, viens, ven, bring, shift, stare, staring, gaze, gazing, do, doing, do it, do that, put, get, set
G: follow, oriente, deplace, decale, corre, correte, stretch, greet, drehen, gehen, smile, act, describe, salue
G: saluda, saludame, vuelve, reviens, return, ruck, wink, bend, dreht, tourner, girar, coming, came, looked, turned
G: ended, finished, stopped, waved, went, started, talks, saying, doing that, nodding at, walk, lead, wait, waiting
G: blink, blinking, hopped, rutsch, avance, lies vor, sprecht, mirar, go back, zipped, whip, whipped, spin, spun
G: react, reacted, answered, greeted, sang, girate, gira te, vuelvete, tourne toi, pivote, pivoter, vise, cible
G: apunta, enfoca, ziel, richte, schieb, place, tasse toi, pousse, mets, mets toi, pon, ponte, stell, leg, nimm
G: lass, donne, dame, gib, try to, hop, jump, peek, salues, saludas, saluer, saludar, grusst, begrusst, nickst
G: winkst, drehst, schaust, guckst, regardes, tournes, miras, giras, vas, vas y, ajoute, anade, vocaliza, articule
G: articulate, enunciate, veuillez, faudrait, il faut, il faudrait, tendrias que, echa, echate, hast du, keeps, kept
G: mind, help, beat, showed, show, shows, gave, give, given, say it, blinzelst, clignes, parpadeas
O: he, she, they, we, i, i am, him, them, ils, elles, nous, on, je, j, ella, ellos, nosotros, yo, er, wir, ich, sie
O: people, everyone, everybody, somebody, someone, i d, elle, il
Y: answer, you, your, you are, yourself, tu, t, te, toi, ton, ta, tes, vous, votre, usted, tus, du, dich, dir, dein
Y: deine, deinen, deiner, it, it is, that was, that is, that s, this is, it was, c est, c etait, ca, es war, das war
Y: das ist, fue, ha sido, eso, esto, reachy, robot, head, voice, antenna, antennas, antennae, movements, motion
Y: gesture, gestures, tete, voix, antenne, antennes, regard, mouvements, geste, gestes, salut, hochement, cabeza
Y: voz, antena, antenas, mirada, movimientos, gesto, gestos, baile, saludo, kopf, stimme, antennen, bewegungen
Y: gruss, begrussung, blick, story, joke, song, answers, reply, replies, speech, histoire, blague, chanson, reponse
Y: historia, chiste, cancion, respuesta, geschichte, witz, lied, antwort, antworten, body, das, ears, intro, pause
Y: pose, thing, animation, ear, reaction, ending, melody, steps, rotation, tour, vuelta, drehung, the nod, nicken
Y: winken, sound, son, sonido, speaker, bow, part, beginning, repetition, greeting, the wave, the dance, the turn
Y: the bow, the tilt, the swing, that nod, that wave, that turn, that dance, your nod, your wave, your dance
Y: your turn, the move, that move, this dance, this move, la danse, el baile, der tanz, den tanz, moves, the shake
Y: der witz, chin, nose, neck, menton, nez, nuque, barbilla, nariz, cuello, kinn, nase, hals, music of yours
Y: your music, your photo, your camera, photo, the photo, picture, image, camera, lens, eyes, your eyes, response
Y: responses, reponses, respuestas, performance, the show, show of yours, bewegung, verbeugung, reverencia
Y: reverence, tes gestes, tes mouvements, tus gestos, tus movimientos, deine bewegungen
Z: the, my, our, his, their, a, an, some, le, la, les, mon, ma, mes, un, une, notre, el, lo, los, las, mi, mis, una
Z: nuestro, der, die, den, dem, mein, meine, meinen, ein, eine, einen, einem, unser, these, those, every, each, al
Z: del, au, her
t: not you, talking to the, talking to my, talking to him, talking to her, talking to them
B: but, however, though, although, except, mais, par contre, cependant, dommage, pero, aunque, aber, allerdings
B: apart from, sondern, sino, tho, otherwise, sonst, sinon, only that, nur dass, sauf que, excepto
c: because, since, so that, if, when, while, parce que, porque, weil, wenn, cuando, quand, que, dass, si no, car
c: puisque, where, until, before you, bis, jusqu a, so i, so we, which, denn
J: and, et, y, und, then, puis, luego, dann, or, ou, oder, o, e
f: wrong, other way, wrong way, no no, no no no, opposite, otra direccion, andere seite, autre cote, otro lado
p: superb, fantastic, amazing, clever, beautiful, beautifully, impressive, marvellous, splendid, terrific, fabulous
p: magnifique, formidable, estupendo, fantastico, maravilloso, fantastisch, grossartig, herrlich, hervorragend, good
p: great, nice, perfect, lovely, fine, cool, cute, awesome, brilliant, excellent, sweet, wonderful, well done, bravo
p: just right, spot on, ideal, love, loved, enjoyed, progress, gut, toll, genau, genau richtig, muy bien, bueno
p: parfait, joli, jolie, chouette, genial, perfekt, perfecto, prima, klasse, wunderbar, great stuff, good stuff
p: p: that s right, exactly right, just how, exactly how, just what, thank, thanks, merci, gracias, danke, better
F: mostly, mainly, short of, definitely, certainly, probably, quite a, clearly, properly, is, are, was, were, been
F: being, re, s, ll, d, m, has, have, had, to, of, in, at, for, with, by, from, here, there, now, still, ok, okay
F: yes, yeah, oh, ah, hey, hm, hmm, um, uh, uhm, well, ugh, wow, whoa, aww, ooh, thx, almost, nearly, close but
F: getting there, bad, terrible, awful, rubbish, useless, boring, today, dude, bro, mate, buddy, man, lol, imo, tbh
F: ngl, haha, k, all, time, this time, me, us, de, en, por, con, pour, avec, dans, zum, zur, am, auf, mit, von, bei
F: hier, da, dort, mal, ja, doch, jetzt, eben, schon, aqui, ahi, alli, ahora, ya, hoy, tout, la bas, ici, oui
F: presque, casi, beinahe, ist, bist, war, warst, sein, es, eres, estas, esta, sois, etait, etais, suis, ai, hat
F: hast, haben, wird, kindly, dear, maybe, perhaps, possibly, think, guess, suppose, feel, felt, seems, seemed
F: looks, sounds, sounded, got, gets, little one, little guy, silly, round, around, any, at all, ever, always
F: toujours, siempre, immer, peut etre, quizas, vielleicht, allez, vamos, venga, na, naja, gell, gelle, gall
F: alright, sorry, sure, like, liked, best, end, ende, fin, start, next, first, once, zwar, hin, ran, heran, ruber
F: rueber, hinuber, weg, zuruck, back, towards, toward, vers, hacia, para, gesprochen, gedreht, geschaut, glaub
F: creo, crois, i think, i guess, i suppose, i d say, je crois, je trouve, ich finde, finde, find, creo que
F: je pense, glaub ich, yesterday, before, earlier, gestern, vorhin, vorher, ayer, antes, avant, last week
F: this morning, last time, moment, for me, for us, pour moi, para mi, fur mich, fur, darling, honey, carino, cheri
F: schatz, keep it up, out loud, right now, right away, right back, right here, right there, right where, right then
F: all right, so long, long time, ago, after, about, into, out, off, away, over, along, just, only, seulement, juste
F: solo, solamente, bloss, nur, something, anything, might, may, suit, does, did, did it, weit, loin de, ahm, euh
F: eh, este, pues, puh, ha, hah, was hast du gesagt, bin ich, wie, actually, honestly, basically, gonna, going to
F: percent, than, per, bit of, of you, of it, up to now, kid, kiddo, seconds, second, at me, for him, for her
F: nein danke, so weit, pal, folks, mann, junge, yet, until now, already, schon wieder, deja, will, shall, were you
F: you see, quite honestly, unit, someone else, also, auch, aussi bien, more or less, up to, ended up, end up
F: fed up, mixed up, catch up, caught up, give up, gave up, wake up, woke up, cheer up, shut up, warm up, set up
F: get up, got up, stand up, stood up, sit down, sat down, calm down, write down, wrote down, break down, broke down
F: shut down, put down, lie down, made up, make up, grow up, grew up, hang up, sign up, no rush, no hurry
F: slow on the uptake, right before, right after, right in, right at, right on, right way, the right way, right one
F: right thing, alles recht, right hand, left hand, left over, left alone, left behind, side, sides, own
F: enough already, everything, nothing, nobody, whole, entire, times over, later, ja mal, ey, uff, uy, ay, ah non
F: bon, ben, alors, du coup, quand meme, oye, mira que, hombre, anda, bueno pues, halt mal, echt, irgendwie, ach
F: ach so, tja, ungefahr, a propos, genau so, erm, hmm hmm, eh bien, hein, quoi, vale, digo, my dear, my friend
F: sweetie, please and thank you, honest, overall, otherwise fine, generally, i find, if possible, possible
F: si possible, si puedes, wenn moglich, moglich, as well, such as, of course, kind, so kind, so kind as to, trick
F: did the trick
d: degree, degrees, degres, degre, grados, grado, grad
n: one, two, three, four, five, six, seven, eight, nine, ten, fifteen, twenty, thirty, forty, fifty, deux, trois
n: quatre, cinq, sept, huit, neuf, dix, quinze, vingt, trente, dos, tres veces, cuatro, cinco, seis, siete, ocho
n: nueve, diez, quince, veinte, treinta, zwei, drei, vier, funf, sechs, sieben, acht, neun, zehn, zwanzig, dreissig
n: couple
r: tilting, leaning, leans, tilts, crooked, crookedly, slanted, schief, de travers, torcida, torcido, kippst, neigst
r: inclinas, hangs, hanging, hangt, lopsided
"""
"""Tags and their phrases."""
