"""The words around the poles of a correction (`feedback.correction_words`), in English, French, Spanish and German.

T  too    S  so    v  very    M  more    L  less    E  enough    N  not    K  stop doing
U  no need to, must you, why so    R  tilting: left and right are then a roll    X  overshooting
G  a verb of moving or talking    W  a wish    w  what should have been, or another try
Y  the robot, what it did and what it did it with    O  somebody else    Z  a determiner
B  but    c  because, if    J  and    p  praise    f  blame    F  filler words    n  a number    d  degrees
"""

from __future__ import annotations

CONTEXT = """
T: too, trop, demasiado, demasiada, demasiadas, demasiados, zu, overly, excessively, allzu, excesivamente
T: too many, trop de, zu viele
S: so, that, this, si, tellement, tan, tanto, tanta, that much, this much, so much, quite so, such, as, aussi
S: dermassen, derart, all that, autant, tant, such a, gar so, ganz so, so sehr, quite as, nearly as, half as, pareil
v: very, tres, muy, sehr, really, exactly, particularly, especially, ganz schon, quite, gerade, precisamente
v: precisement
M: more, plus, mas, mehr, encore, weiter, noch, noch mehr, some more, further over, another, even, even more, meh
M: keep going, keep coming, keep turning, carry on turning, still more, keep moving, further round, moar, de plus
M: over there, over here, sigue, continue, encore plus, todavia mas, aun mas
L: less, fewer, moins, menos, weniger, less of
E: enough, assez, suficiente, suficientemente, genug, lo bastante, suffisamment, ausreichend
N: not, dont, do not, doesnt, didnt, isnt, wasnt, arent, werent, no, non, pas, nicht, kein, keine, nit, net, ned
N: never, ne, sans, without, nunca, jamais, nie, ni, nor, havent, hasnt, wouldnt, cant, cannot, stop being, hardly
N: nope, nein
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
w: in future, in the future, from now on, be happier with, i asked you to, i told you to, wanted you to
R: tilt, tilted, tilting, lean, leaning, leaned, tip, tipped, cock, cocked, roll, penche, penchee, penches, incline
R: inclinee, bascule, inclina, inclinado, ladea, ladeado, ladeada, neig, neige, neigen, geneigt, kipp, kippe, kippen
R: gekippt, schief, crooked, slanted, leans, tilts, inclines, penchez, inclinate, leg den kopf, de travers, torcida
R: torcido, tip your head, kippst, neigst, inclinas, rolled over
X: drifted, drifting, overshot, overshoot, drift, vorbei, strayed, straying, derives, te pasas
G: look, looking, turn, turning, go, going, face, facing, rotate, swivel, point, pointing, aim, aiming, speak
G: speaking, sing, read, wave, waving, regarde, tourne, va, lis, chante, danse, hoche, cligne, mira, gira, ve, lee
G: canta, baila, asiente, parpadea, schau, schaue, guck, dreh, drehe, geh, sprich, lies, tanz, tanze, nick, nicke
G: winke, blinzle, come, komm, viens, ven, bring, shift, stare, staring, gaze, gazing, do, doing, do it, do that
G: put, get, set, follow, oriente, deplace, decale, corre, correte, stretch, greet, answer, bouger, sprechen, reden
G: drehen, gehen, smile, act, describe, salue, saluda, saludame, vuelve, reviens, return, ruck, wink, bend, dreht
G: tourner, girar, coming, came, looked, turned, ended, finished, stopped, waved, spoke, went, started, talks
G: saying, doing that, nodding at, walk, lead, wait, waiting, blink, blinking, hopped, rutsch, avance, lies vor
G: sprecht, hablar, parler, mirar, go back
O: he, she, they, we, i, i am, him, them, ils, elles, nous, on, je, j, ella, ellos, nosotros, yo, er, wir, ich, sie
O: people, everyone, everybody, somebody, someone, i d, elle, il
Y: you, your, you are, yourself, tu, t, te, toi, ton, ta, tes, vous, votre, usted, tus, du, dich, dir, dein, deine
Y: deinen, deiner, it, it is, that was, that is, that s, this is, it was, c est, c etait, ca, es war, das war
Y: das ist, fue, ha sido, eso, esto, reachy, robot, robots, head, voice, antenna, antennas, antennae, eyes
Y: movements, motion, gesture, gestures, tete, voix, antenne, antennes, regard, mouvements, geste, gestes, salut
Y: hochement, cabeza, voz, antena, antenas, mirada, movimientos, gesto, gestos, baile, saludo, kopf, stimme
Y: antennen, bewegungen, gruss, begrussung, blick, story, joke, song, answers, reply, replies, speech, histoire
Y: blague, chanson, reponse, historia, chiste, cancion, respuesta, geschichte, witz, lied, antwort, antworten
Y: camera, photo, picture, body, das, ears, intro, pause, pose, thing, animation, ear, reaction, ending, melody
Y: music, steps, rotation, tour, vuelta, drehung, the nod, nicken, winken, sound, son, sonido, speaker, bow, part
Y: beginning, repetition, greeting, the wave, the dance, the turn, the bow, the tilt, the swing, that nod, that wave
Y: that turn, that dance, your nod, your wave, your dance, your turn, the move, that move, this dance, this move
Y: la danse, el baile, der tanz, den tanz, moves, the shake, der witz
Z: the, my, our, his, their, a, an, some, le, la, les, mon, ma, mes, un, une, notre, el, lo, los, las, mi, mis, una
Z: nuestro, der, die, den, dem, mein, meine, meinen, ein, eine, einen, einem, unser, these, those, every, each, al
Z: del, au, her
B: but, however, though, although, except, mais, par contre, cependant, dommage, pero, aunque, aber, allerdings
B: apart from, sondern, sino, tho, otherwise, sonst, sinon, only that, nur dass, sauf que, excepto
c: because, since, so that, if, when, while, parce que, porque, weil, wenn, cuando, quand, que, dass, si no, car
c: puisque, where, until, before you, bis, jusqu a, so i, so we, which, denn
J: and, et, y, und, then, puis, luego, dann, or, ou, oder, o, e
f: wrong, other way, wrong way, no no, no no no, opposite, otra direccion, andere seite, autre cote, otro lado
p: good, great, nice, perfect, lovely, fine, cool, cute, awesome, brilliant, excellent, sweet, wonderful, well done
p: bravo, just right, spot on, ideal, love, loved, enjoyed, progress, gut, toll, genau, genau richtig, muy bien
p: bueno, parfait, joli, jolie, chouette, genial, perfekt, perfecto, prima, klasse, wunderbar, great stuff
p: good stuff, p: that s right, exactly right, just how, exactly how, just what, thank, thanks, merci, gracias
p: danke, better
F: is, are, was, were, been, being, re, s, ll, d, m, has, have, had, to, of, in, at, for, with, by, from, here
F: there, now, still, ok, okay, yes, yeah, oh, ah, hey, hm, hmm, um, uh, uhm, well, ugh, wow, whoa, aww, ooh, thx
F: almost, nearly, close but, getting there, bad, terrible, awful, rubbish, useless, boring, today, dude, bro, mate
F: buddy, man, lol, imo, tbh, ngl, haha, k, all, time, this time, me, us, de, en, por, con, pour, avec, dans, zum
F: zur, am, auf, mit, von, bei, hier, da, dort, mal, ja, doch, jetzt, eben, schon, aqui, ahi, alli, ahora, ya, hoy
F: tout, la bas, ici, oui, presque, casi, beinahe, ist, bist, war, warst, sein, es, eres, estas, esta, sois, etait
F: etais, suis, ai, hat, hast, haben, wird, kindly, dear, maybe, perhaps, possibly, think, guess, suppose, feel
F: felt, seems, seemed, looks, sounds, sounded, got, gets, little one, little guy, silly, round, around, any, at all
F: ever, always, toujours, siempre, immer, peut etre, quizas, vielleicht, allez, vamos, venga, na, naja, gell, gelle
F: gall, alright, sorry, sure, like, liked, best, end, ende, fin, start, next, first, once, zwar, hin, ran, heran
F: ruber, rueber, hinuber, weg, zuruck, back, towards, toward, vers, hacia, para, gesprochen, gedreht, geschaut
F: glaub, creo, crois, i think, i guess, i suppose, i d say, je crois, je trouve, ich finde, finde, find, creo que
F: je pense, glaub ich, yesterday, before, earlier, gestern, vorhin, vorher, ayer, antes, avant, last week
F: this morning, last time, moment, for me, for us, pour moi, para mi, fur mich, fur, darling, honey, carino, cheri
F: schatz, keep it up, out loud, right now, right away, right back, right here, right there, right where, right then
F: all right, so long, long time, ago, after, about, into, out, off, away, over, along, just, only, seulement, juste
F: solo, solamente, bloss, nur, something, anything, might, may, suit, does, did, did it, weit, loin de, ahm, euh
F: eh, este, pues, puh, ha, hah, was hast du gesagt, bin ich, wie, actually, honestly, basically, gonna, going to
F: percent, than, per, bit of, of you, of it, up to now, kid, kiddo, seconds, second, at me, for him, for her
F: nein danke, so weit, pal, folks, mann, junge, yet, until now, already, schon wieder, deja, will, shall, were you
F: you see, quite honestly, unit, someone else, also, auch, aussi bien
d: degree, degrees, degres, degre, grados, grado, grad
n: one, two, three, four, five, six, seven, eight, nine, ten, fifteen, twenty, thirty, forty, fifty, deux, trois
n: quatre, cinq, sept, huit, neuf, dix, quinze, vingt, trente, dos, tres veces, cuatro, cinco, seis, siete, ocho
n: nueve, diez, quince, veinte, treinta, zwei, drei, vier, funf, sechs, sieben, acht, neun, zehn, zwanzig, dreissig
n: couple
"""
"""Tags and their phrases."""
