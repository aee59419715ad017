"""The words around the poles of a correction (`feedback.correction_words`), in English, French, Spanish and German.

T  too  S so  v very  M more  L less  E enough  N not  K stop doing  U no need to, must you, why so
R  tilting: left and right are then a roll    X overshooting    G a verb of moving or talking
W  a wish  w what should have been, or another try    Y the robot, what it did and what it did it with    O somebody else    Z a determiner
B  but    c because, if    J and    p praise    f blame    F filler words    n a number    d degrees
"""

from __future__ import annotations

CONTEXT = """
T: too, trop, demasiado, demasiada, demasiadas, demasiados, zu, overly, excessively, allzu, excesivamente, way too, too many
T: trop de, zu viele, one too many, een
S: so, that, this, si, tellement, tan, tanto, tanta, that much, this much, so much, quite so, such, as, aussi, dermassen
S: derart, all that, autant, tant, such a, gar so, ganz so, so sehr, quite as, nearly as, half as, pareil
v: very, tres, muy, sehr, really, exactly, particularly, especially, ganz schon, quite, gerade, precisamente, precisement
M: more, plus, mas, mehr, further, farther, encore, weiter, noch, noch mehr, some more, further over, another, even, even more
M: meh, keep going, keep coming, keep turning, carry on turning, still more, keep moving, further round, moar, de plus
M: over there, over here, sigue, continue, encore plus, todavia mas, aun mas
L: less, fewer, moins, menos, weniger, less of
E: enough, assez, suficiente, suficientemente, genug, lo bastante, suffisamment, ausreichend
N: not, dont, do not, doesnt, didnt, isnt, wasnt, arent, werent, no, non, pas, nicht, kein, keine, nit, net, ned, nod, never
N: ne, sans, without, nunca, jamais, nie, ni, nor, havent, hasnt, wouldnt, cant, cannot, stop being, hardly, nope, nein
K: stop, quit, stops, enough with the, enough with, cease, arrete de, arretez de, deja de, para de, hor auf, hor auf zu
K: would you stop, please stop, hoer auf, arrete, enough of the
U: no need to, no need for, doesnt have to be, dont have to, dont need to, pas besoin de, hace falta que, brauchst nicht zu
U: do you have to, must you, need to be so, does it have to be, why are you, why so, why is it, why do you
U: pourquoi tu, por que vas, por que hablas, warum bist du, warum so, necessary to, was it really necessary to
U: there is no need to, there s no need to, no hace falta, il faut pas, pourquoi es tu, warum redest du
U: do you need to, why must you, why did you, why does it have to be, pourquoi si, por que tan, muss das, hate how
U: cant stand how, sick of how, tired of how, annoys me how, nervt wie, me molesta lo, does it have to be that
W: could, couldnt you, cant you, can, would, want, need, needs
W: try, make it, make, be, hoping, podrias, puedes, quiero, prefiero
W: tu pourrais, tu peux, peux tu, pourrais tu, j aimerais, je veux, prefere, konntest, kannst, mochte
W: wunsche, bitte, por favor, s il te plait, stp, svp, sil te plait, pls, plz, mach, fais, fais le, hazlo, haz, please
W: have to, why dont you, hay que, can i get, can i have
W: you might want to, expecting, let s, let us, could we have
W: debes, keep, can we have, give me
W: noch mal, nochmal, nochmals, otra vez, de nouveau, encore une fois, wanted
W: what i want is, what i need is, all i want is, like it, like you, wants to be, needs to be, muss
W: one more time, 1 more time, one more go, say it again, repeat that, instead of that
W: id like, i d like, i d love, would love it
w: should, shouldnt, ought to, ought, wish, if only, next time, instead, rather, supposed to, better if, i said, told you
w: clearly said, i meant, ideally, tu devrais, deberias, solltest, musst, j ai dit, ich sagte, he dicho, you need to
w: nachstes mal, beim nachsten mal, la prochaine fois, la proxima vez, i asked for, try again, do it again, again
w: start over, once more, do it over, take two, retry, redo, tienes que, must, prefer, i d prefer
w: i d rather, in future, in the future, from now on, be happier with, i asked you to, i told you to, wanted you to
R: tilt, tilted, tilting, lean, leaning, leaned, tip, tipped, cock, cocked, roll, penche, penchee, penches, incline, inclinee
R: bascule, inclina, inclinado, ladea, ladeado, ladeada, neig, neige, neigen, geneigt, kipp, kippe, kippen, gekippt, schief
R: crooked, slanted, leans, tilts, inclines, penchez, inclinate, leg den kopf, de travers, torcida, torcido, tip your head
R: kippst, neigst, inclinas, rolled over
X: drifted, drifting, overshot, overshoot, drift, vorbei, strayed, straying, derives, te pasas
G: look, looking, turn, turning, go, going, face, facing, rotate, swivel, point, pointing, aim, aiming, speak, speaking, sing
G: read, wave, waving, regarde, tourne, va, lis, chante, danse, hoche, cligne, mira, gira, ve, lee, canta, baila, muevete
G: asiente, parpadea, schau, schaue, guck, dreh, drehe, geh, sprich, lies, tanz, tanze, nick, nicke, winke, blinzle, come
G: komm, viens, ven, bring, shift, stare, staring, gaze, gazing, do, doing, do it, do that, put, get, set, follow
G: oriente, deplace, decale, corre, correte, repeat, stretch, greet, answer, bouger, sprechen, reden, drehen, gehen, smile
G: act, describe, salue, saluda, saludame, vuelve, reviens, return, ruck, wink, bend, dreht, tourner, girar, coming, came
G: looked, turned, ended, finished, stopped, waved, spoke, came, went, started, talks, saying, doing that, nodding at
G: walk, lead, wait, waiting, blink, blinking, hopped, rutsch, avance, lies vor, sprecht, hablar, parler, mirar, go back
O: he, she, they, we, i, i am, him, them, ils, elles, nous, on, je, j, ella, ellos, nosotros, yo, er, wir, ich, sie
O: people, everyone, everybody, somebody, someone, i d, elle, il
Y: you, your, you are, yourself, tu, t, te, toi, ton, ta, tes, vous, votre, usted, tus, du, dich, dir, dein
Y: deine, deinen, deiner, it, it is, that was, that is, that s, this is, it was, c est, c etait, ca, es war
Y: das war, das ist, fue, ha sido, eso, esto, reachy, robot, robots, head, voice, antenna, antennas, antennae, eyes
Y: movements, motion, gesture, gestures, tete, voix, antenne, antennes, regard, mouvements, geste, gestes, salut, hochement
Y: cabeza, voz, antena, antenas, mirada, movimientos, gesto, gestos, baile, saludo, kopf, stimme, antennen, bewegungen
Y: gruss, begrussung, blick, story, joke, song, answer, answers, reply, replies, speech, histoire, blague, chanson, reponse
Y: historia, chiste, cancion, respuesta, geschichte, witz, lied, antwort, antworten, camera, photo, picture, body, das, ears
Y: intro, pause, pose, thing, animation, ear, reaction, ending, melody, music, steps, rotation, tour, vuelta, drehung, the nod
Y: nicken, winken, sound, son, sonido, speaker, bow, part, beginning, repetition, greeting, the wave, the dance, the turn
Y: the bow, the tilt, the swing, that nod, that wave, that turn, that dance, your nod, your wave, your dance, your turn, the move
Y: that move, this dance, this move, la danse, el baile, der tanz, den tanz, moves, gestures, the shake, der witz
Z: the, my, our, his, their, a, an, some, le, la, les, mon, ma, mes, un, une, notre, el, lo, los, las, mi, mis, una, nuestro
Z: der, die, den, dem, mein, meine, meinen, ein, eine, einen, einem, unser, these, those, every, each, al, del, au, her
B: but, however, though, although, except, mais, par contre, cependant, dommage, pero, aunque, aber, allerdings, apart from
B: sondern, sino, tho, otherwise, sonst, sinon, only that, nur dass, sauf que, excepto
c: because, since, so that, if, when, while, parce que, porque, weil, wenn, cuando, quand, que, dass, si no, car, puisque, where
c: until, before you, bis, jusqu a, so i, so we, which, denn
J: and, et, y, und, then, puis, luego, dann, or, ou, oder, o, e
f: wrong, other way, wrong way, no no, no no no, opposite, otra direccion, andere seite, autre cote, otro lado
p: good, great, nice, perfect, lovely, fine, cool, cute, awesome, brilliant, excellent, sweet, wonderful, well done
p: bravo, just right, spot on, ideal, love, loved, enjoyed, progress, gut, toll, genau, genau richtig, bien, muy bien, bueno
p: parfait, joli, jolie, chouette, genial, perfekt, perfecto, prima, klasse, wunderbar, great stuff, good stuff, p: that s right, exactly right, just how, exactly how, just what, super, thank, thanks, merci, gracias, danke, better
F: is, are, was, were, been, being, re, s, ve, ll, d, m, has, have, had, to, of, in, on, at, for, with, by, from, here
F: there, now, still, ok, okay, yes, yeah, oh, ah, hey, hm, hmm, um, uh, uhm, well, ugh, wow, whoa, aww, ooh, thx, almost
F: nearly, close but, getting there, bad, terrible, awful, rubbish, useless, boring, today, dude, bro, mate, buddy
F: man, lol, imo, tbh, ngl, haha, k, all, time, this time, me, us, de, en, por, con, pour, avec, dans, zum, zur, am, auf
F: mit, von, bei, hier, da, dort, mal, ja, doch, jetzt, eben, schon, aqui, ahi, alli, ahora, ya, hoy, tout, la bas, ici, oui
F: presque, casi, beinahe, ist, bist, war, warst, sein, es, eres, estas, esta, sois, etait, etais, suis, ai, hat, hast, haben
F: wird, kindly, dear, maybe, perhaps, possibly, think, guess, suppose, feel, felt, seems, seemed, looks, sounds, sounded
F: got, gets, little one, little guy, silly, round, around, any, at all, ever, always, toujours, siempre, immer
F: peut etre, quizas, vielleicht, allez, vamos, venga, los, na, naja, gell, gelle, gall, alright, sorry, sure, like, liked
F: best, end, ende, fin, start, last, next, first, once, zwar, hin, her, ran, heran, ruber, rueber, hinuber, weg, zuruck
F: back, towards, toward, vers, hacia, para, gesprochen, gedreht, geschaut, glaub, creo, crois, i think, i guess, i suppose
F: i d say, je crois, je trouve, ich finde, finde, find, creo que, je pense, glaub ich, yesterday, before, earlier, gestern
F: vorhin, vorher, ayer, antes, hier, avant, last week, this morning, last time, moment, for me, for us, pour moi, para mi
F: fur mich, fur, darling, honey, carino, cheri, schatz, keep it up, out loud, right now, right away, right back, right here
F: right there, right where, right then, all right, so long, long time, ago, after, about, into, out, off, away, over, along
F: just, only, seulement, juste, solo, solamente, bloss, nur, something, anything, might, may, suit, does, did, did it
F: weit, loin de, ahm, euh, eh, este, pues, puh, ha, hah, was hast du gesagt, bin ich, wie, actually, honestly, basically
F: gonna, going to, percent, than, per, bit of, of you, of it, up to now, kid, kiddo
F: seconds, second, at me, for him, for her, nein danke, so weit, mate, pal, folks, man, mann, junge
F: yet, until now, already, schon wieder, deja, will, shall, were you, you see, quite honestly, unit, someone else, also, auch, aussi bien
d: degree, degrees, degres, degre, grados, grado, grad
n: one, two, three, four, five, six, seven, eight, nine, ten, fifteen, twenty, thirty, forty, fifty, deux, trois, quatre, cinq
n: six, sept, huit, neuf, dix, quinze, vingt, trente, dos, tres veces, cuatro, cinco, seis, siete, ocho, nueve, diez, quince
n: veinte, treinta, zwei, drei, vier, funf, sechs, sieben, acht, neun, zehn, zwanzig, dreissig, couple
"""
"""Tags and their phrases."""
