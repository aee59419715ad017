"""The words around the poles of a correction (`feedback.correction_words`), in English, French, Spanish and German.

T  too    S  so    v  very    M  more    L  less    E  enough    N  not    K  stop doing    X  overshooting
U  no need to, must you, why so    R  tilting: left and right are then a roll    r  a tilt that is found fault with
G  a verb of moving or talking    W  a wish    w  what should have been, or another try
Y  the robot, what it did and what it did it with    O  somebody else    Z  a determiner    t  not for the robot
B  but    c  because, if    J  and    p  praise    f  blame    F  filler words    n  a number    d  degrees
"""

from __future__ import annotations

CONTEXT = """
T large: ridiculously, awfully, painfully, terribly, insanely, horribly, dreadfully, stupidly, unbearably
T large: excruciatingly, intolerably, absurdly, unertraglich, horriblement, horriblemente, terriblement, furchtbar
T large: schrecklich, wahnsinnig, irrsinnig
T: too, trop, demasiado, demasiada, demasiadas, demasiados, zu, overly, excessively, allzu, excesivamente, too many
T: trop de, zu viele
S: so, that, this, si, tellement, tan, tanto, tanta, that much, this much, so much, quite so, such, as, aussi
S: dermassen, derart, all that, autant, tant, such a, gar so, ganz so, so sehr, quite as, nearly as, half as, pareil
v: very, tres, muy, sehr, really, exactly, particularly, especially, ganz schon, quite, gerade, precisamente
v: precisement, not exactly, gar, besonders, specialement, especialmente
M: three times as, twice as, four times as, ten times as, doppelt so, more, plus, mas, mehr, encore, weiter, noch
M: noch mehr, some more, further over, another, even, even more, meh, keep going, keep coming, keep turning
M: carry on turning, still more, keep moving, further round, moar, de plus, over there, over here, sigue, continue
M: encore plus, todavia mas, aun mas
L: less, fewer, moins, menos, weniger, less of
E: enough, assez, suficiente, suficientemente, genug, lo bastante, suffisamment, ausreichend
N: nowhere near, neither, couldnt, couldnt have, not, dont, do not, doesnt, didnt, isnt, wasnt, arent, werent, no
N: pas, nicht, kein, keine, nit, net, ned, never, ne, sans, without, nunca, jamais, nie, ni, nor, havent, hasnt
N: wouldnt, cant, cannot, stop being, hardly, aint, wont, nada, aucun, aucune, ningun, tampoco, no longer
N: not any more, hardly ever
K: bouge plus, bougez plus, ne bouge plus, stop, quit, stops, enough with the, enough with, cease, arrete de
K: arretez de, deja de, para de, hor auf, hor auf zu, would you stop, please stop, hoer auf, arrete, enough of the
U: bothers me that, annoys me that, annoying that, hate that, dont like that, hate it when, dont like it when
U: hate when, nervt dass, m enerve que, m embete que, me molesta que, no me gusta que, not a fan of, no need to
U: no need for, doesnt have to be, dont have to, dont need to, pas besoin de, hace falta que, brauchst nicht zu
U: do you have to, must you, need to be so, does it have to be, why are you, why so, why is it, why do you
U: pourquoi tu, por que vas, por que hablas, warum bist du, warum so, necessary to, was it really necessary to
U: there is no need to, there s no need to, no hace falta, il faut pas, pourquoi es tu, warum redest du
U: do you need to, why must you, why did you, why does it have to be, pourquoi si, por que tan, muss das, hate how
U: cant stand how, sick of how, tired of how, annoys me how, nervt wie, me molesta lo, does it have to be that
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
X: te has pasado, has pasado, te pasaste, pasado, drifted, drifting, overshot, overshoot, vorbei, strayed, straying
X: derives, te pasas
G: reach, reaches, point at, muevete, beep, girar, te falta girar, tone, look, looking, turn, turning, go, going
G: face, facing, rotate, swivel, point, pointing, aim, aiming, sing, read, wave, waving, regarde, tourne, va, lis
G: chante, danse, hoche, cligne, mira, gira, ve, lee, canta, baila, asiente, parpadea, schau, schaue, guck, dreh
G: drehe, geh, sprich, lies, tanz, tanze, nick, nicke, winke, blinzle, come, komm, viens, ven, bring, shift, stare
G: staring, gaze, gazing, do, doing, do it, do that, put, get, set, follow, oriente, deplace, decale, corre, correte
G: stretch, greet, drehen, gehen, smile, act, describe, salue, saluda, saludame, vuelve, reviens, return, ruck, wink
G: bend, dreht, tourner, coming, came, looked, turned, ended, finished, stopped, waved, went, started, saying
G: doing that, nodding at, walk, lead, wait, waiting, blink, blinking, hopped, rutsch, avance, lies vor, sprecht
G: mirar, go back, zipped, whip, whipped, spin, spun, react, reacted, answered, greeted, sang, girate, gira te
G: vuelvete, tourne toi, pivote, pivoter, vise, cible, apunta, enfoca, ziel, richte, schieb, place, tasse toi
G: pousse, mets, mets toi, pon, ponte, stell, leg, nimm, lass, donne, dame, gib, try to, hop, jump, peek, salues
G: saludas, saluer, saludar, grusst, begrusst, nickst, winkst, drehst, schaust, guckst, regardes, tournes, miras
G: giras, vas, vas y, ajoute, anade, vocaliza, articule, articulate, enunciate, veuillez, faudrait, il faut
G: il faudrait, tendrias que, echa, echate, hast du, keeps, kept, mind, help, beat, showed, show, shows, gave, give
G: given, say it, blinzelst, clignes, parpadeas
O: he, she, they, we, i, i am, him, them, ils, elles, nous, on, je, j, ella, ellos, nosotros, yo, er, wir, ich, sie
O: people, everyone, everybody, somebody, someone, i d, elle, il
Y: vista, la vista, answer, you, your, you are, yourself, tu, t, te, toi, ton, ta, tes, vous, votre, usted, tus, du
Y: dich, dir, dein, deine, deinen, deiner, it, it is, that was, that is, that s, this is, it was, c est, c etait, ca
Y: es war, das war, das ist, fue, ha sido, eso, esto, reachy, robot, head, voice, antenna, antennas, antennae
Y: movements, motion, gesture, gestures, tete, voix, antenne, antennes, regard, mouvements, geste, gestes, salut
Y: hochement, cabeza, voz, antena, antenas, mirada, movimientos, gesto, gestos, baile, saludo, kopf, stimme
Y: antennen, bewegungen, gruss, begrussung, blick, story, joke, song, answers, reply, replies, speech, histoire
Y: blague, chanson, reponse, historia, chiste, cancion, respuesta, geschichte, witz, lied, antwort, antworten, body
Y: das, ears, intro, pause, pose, thing, animation, ear, reaction, ending, melody, steps, rotation, tour, vuelta
Y: drehung, the nod, nicken, winken, sound, son, sonido, speaker, bow, part, beginning, repetition, greeting
Y: the wave, the dance, the turn, the bow, the tilt, the swing, that nod, that wave, that turn, that dance, your nod
Y: your wave, your dance, your turn, the move, that move, this dance, this move, la danse, el baile, der tanz
Y: den tanz, moves, the shake, der witz, chin, nose, neck, menton, nez, nuque, barbilla, nariz, cuello, kinn, nase
Y: hals, music of yours, your music, your photo, your camera, photo, the photo, picture, image, camera, lens, eyes
Y: your eyes, response, responses, reponses, respuestas, performance, the show, show of yours, bewegung, verbeugung
Y: reverencia, reverence, tes gestes, tes mouvements, tus gestos, tus movimientos, deine bewegungen
Z: the, my, our, his, their, a, an, some, le, la, les, mon, ma, mes, un, une, notre, el, lo, los, las, mi, mis, una
Z: nuestro, der, die, den, dem, mein, meine, meinen, ein, eine, einen, einem, unser, these, those, every, each, al
Z: del, au, her
t: not you, talking to the, talking to my, talking to him, talking to her, talking to them
B: but, however, though, although, except, mais, par contre, cependant, dommage, pero, aunque, aber, allerdings
B: apart from, sondern, sino, tho, otherwise, sonst, sinon, only that, nur dass, sauf que, excepto
c: because, since, so that, if, when, while, parce que, porque, weil, wenn, cuando, quand, que, dass, si no, car
c: puisque, where, until, before you, bis, jusqu a, so i, so we, which, denn
J: and, et, y, und, then, puis, luego, dann, or, ou, oder, o, e
f: non, nein, nope, wrong, other way, wrong way, no no, no no no, opposite, otra direccion, andere seite, autre cote
f: otro lado
p: worth, superb, fantastic, amazing, clever, beautiful, beautifully, impressive, marvellous, splendid, terrific
p: fabulous, magnifique, formidable, estupendo, fantastico, maravilloso, fantastisch, grossartig, herrlich
p: hervorragend, good, great, nice, perfect, lovely, fine, cool, cute, awesome, brilliant, excellent, sweet
p: wonderful, well done, bravo, just right, spot on, ideal, love, loved, enjoyed, progress, gut, toll, genau
p: genau richtig, muy bien, bueno, parfait, joli, jolie, chouette, genial, perfekt, perfecto, prima, klasse
p: wunderbar, great stuff, good stuff, p: that s right, exactly right, just how, exactly how, just what, thank
p: thanks, merci, gracias, danke, better
F: all the way, the whole way, cielo, rein, raus, darf, durfte, konnte, nxt, next, racket, mostly, mainly, short of
F: definitely, certainly, probably, quite a, clearly, properly, is, are, was, were, been, being, re, s, ll, d, m
F: has, have, had, to, of, in, at, for, with, by, from, here, there, now, still, ok, okay, yes, yeah, oh, ah, hey
F: hm, hmm, um, uh, uhm, well, ugh, wow, whoa, aww, ooh, thx, almost, nearly, close but, getting there, bad
F: terrible, awful, rubbish, useless, boring, today, dude, bro, mate, buddy, man, lol, imo, tbh, ngl, haha, k, all
F: time, this time, me, us, de, en, por, con, pour, avec, dans, zum, zur, am, auf, mit, von, bei, hier, da, dort
F: mal, ja, doch, jetzt, eben, schon, aqui, ahi, alli, ahora, ya, hoy, tout, la bas, ici, oui, presque, casi
F: beinahe, ist, bist, war, warst, sein, es, eres, estas, esta, sois, etait, etais, suis, ai, hat, hast, haben, wird
F: kindly, dear, maybe, perhaps, possibly, think, guess, suppose, feel, felt, seems, seemed, looks, sounds, sounded
F: got, gets, little one, little guy, silly, round, around, any, at all, ever, always, toujours, siempre, immer
F: peut etre, quizas, vielleicht, allez, vamos, venga, na, naja, gell, gelle, gall, alright, sorry, sure, like
F: liked, best, end, ende, fin, start, first, once, zwar, hin, ran, heran, ruber, rueber, hinuber, weg, zuruck, back
F: towards, toward, vers, hacia, para, gesprochen, gedreht, geschaut, glaub, creo, crois, i think, i guess
F: i suppose, i d say, je crois, je trouve, ich finde, finde, find, creo que, je pense, glaub ich, yesterday, before
F: earlier, gestern, vorhin, vorher, ayer, antes, avant, last week, this morning, last time, moment, for me, for us
F: pour moi, para mi, fur mich, fur, darling, honey, carino, cheri, schatz, keep it up, out loud, right now
F: right away, right back, right here, right there, right where, right then, all right, long time, ago, after, about
F: into, out, off, away, over, along, just, only, seulement, juste, solo, solamente, bloss, nur, something, anything
F: might, may, suit, does, did, did it, weit, loin de, ahm, euh, eh, este, pues, puh, ha, hah, was hast du gesagt
F: bin ich, wie, actually, honestly, basically, gonna, going to, percent, than, per, bit of, of you, of it
F: up to now, kid, kiddo, seconds, second, at me, for him, for her, nein danke, so weit, pal, folks, mann, junge
F: yet, until now, already, schon wieder, deja, will, shall, were you, you see, quite honestly, unit, someone else
F: also, auch, aussi bien, more or less, up to, ended up, end up, fed up, mixed up, catch up, caught up, give up
F: gave up, wake up, woke up, cheer up, shut up, warm up, set up, get up, got up, stand up, stood up, sit down
F: sat down, calm down, write down, wrote down, break down, broke down, shut down, put down, lie down, made up
F: make up, grow up, grew up, hang up, sign up, no rush, no hurry, slow on the uptake, right before, right after
F: right in, right at, right on, right way, the right way, right one, right thing, alles recht, right hand
F: left hand, left over, left alone, left behind, side, sides, own, enough already, everything, nothing, nobody
F: whole, entire, times over, later, ja mal, ey, uff, uy, ay, ah non, bon, ben, alors, du coup, quand meme, oye
F: mira que, hombre, anda, bueno pues, halt mal, echt, irgendwie, ach, ach so, tja, ungefahr, a propos, genau so
F: erm, hmm hmm, eh bien, hein, quoi, vale, digo, my dear, my friend, sweetie, please and thank you, honest, overall
F: otherwise fine, generally, i find, if possible, possible, si possible, si puedes, wenn moglich, moglich, as well
F: such as, of course, kind, so kind, so kind as to, trick, did the trick
d: degree, degrees, degres, degre, grados, grado, grad
n: one, two, three, four, five, six, seven, eight, nine, ten, fifteen, twenty, thirty, forty, fifty, deux, trois
n: quatre, cinq, sept, huit, neuf, dix, quinze, vingt, trente, dos, tres veces, cuatro, cinco, seis, siete, ocho
n: nueve, diez, quince, veinte, treinta, zwei, drei, vier, funf, sechs, sieben, acht, neun, zehn, zwanzig, dreissig
n: couple
r: tilting, leaning, leans, tilts, crooked, crookedly, slanted, schief, de travers, torcida, torcido, kippst, neigst
r: inclinas, hangs, hanging, hangt, lopsided
"""
"""Tags and their phrases."""
