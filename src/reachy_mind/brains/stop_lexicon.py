"""What words have to do with a stop, in English, French, Spanish and German: the lexicon of the stop classifier.

Words are without accents, capitals and apostrophes. One that ends with * stands for all that begin so. A word of two
languages has one class, that of the first line it is in.
"""

from __future__ import annotations

from collections.abc import Mapping

_CLASSES = """
robot: reachy ritchie richie reachie robot roboter mini machine
stop: stop stopp stoppe stoppez stops stopping halt halte halten freeze freez quit cease desist abort aborta abbrechen
stop: arrete arretez arreter arretes arrete-toi cesse cessez cesser para pare pares parar paren parate parese paralo
stop: paralo parad detente deten detengase detener detengas alto aufhoren aufhoeren anhalten aufhort stopt frena freine
stop: brems bremsen brake brakes frenad frein pause stahp estop notaus notstopp
enough: enough assez suffit basta suficiente genug reicht reichts schluss bastante
still: still immobile tranquille quieto quieta quietos stillhalten put stillgestanden
move: move moving moves movement motion bouge bouges bouger bougez mueve mueva muevas moverte movimiento beweg bewege
move: bewegen bewegung geste gesture ruhr pushing pushes spinning turning shaking rotating wiggling twitching swinging
move: jerking fidgeting nodding waving moviendote girar tourner gigoter wackeln zappeln drehen touch touche toques
body: finger fingers hand hands thumb hair nose eye eyes arm ear toe toes sleeve wrist face chin cheek lip tongue foot
body: elbow beard ponytail skin bracelet earring nail knuckle shoulder neck scarf necklace leg knee shirt jacket
body: doigt doigts main mains pouce nez oeil yeux bras oreille orteil manche poignet visage menton joue langue pied
body: coude barbe peau cravate bague ongle echarpe collier cou cheveux cheveu dedo dedos mano manos pulgar pelo nariz
body: ojos brazo oreja manga muneca cara barbilla mejilla labio lengua pie codo barba piel corbata anillo pulsera
body: bufanda collar cuello cabello daumen haare haar nase auge augen ohr zeh armel handgelenk gesicht kinn wange lippe
body: zunge fuss ellbogen bart haut krawatte armband nagel schal kette hals zopf hande
hurt: hurt hurts hurting pain painful sore mal duele duelen dano lastimas lastimando lastimaste weh schmerzt schmerz
hurt: bleeding bleed saigne sangra sangre sangrando blute blutet blesse blesses
ouch: ow oww ouch owie aie ouille ay au aua autsch argh aah aargh ai uy yikes ahh
harm: pinch* crush* squeez* squash* squish* poke* poking hit hitting smack* bump* jab* bite* biting scratch* strangl*
harm: chok* pull pulling yank* tug* crunch* pinces pince pincez ecras* cogn* tapes tape tires tire serres etouff*
harm: griff* aplast* pellizc* pillas pillaste pegas pegaste pegando golpe* tiras tirando tiraste estrangul* ahorc*
harm: aran* apriet* apret* clava* quetsch* zerquetsch* klemmst einklemm* stichst stechen schlagst geschlagen gehauen
harm: haust kratzt ziehst zwickst wurg* druckst erdruckst getroffen gestochen
harm: nip nipping bruis* sting* stab* graz* whack* slap* bonk* wrench* twist* bending rip ripping tear tearing trampl*
harm: electrocut* zap* cutting drag dragging marches pietin* mord* mords tords arrach* bouscul* etrangl* blesses piques
harm: muerd* mordi* pisas pisando torc* retorc* empuj* ahog* cortando estruj* arranc* beisst reisst zerrst verdreh*
harm: stosst erwurg* schneidest trittst zerdruck* kneif*
stuck: entangled clamped lodged engranaje hangengeblieben eingequetscht gefangen
stuck: stuck caught trapped jammed tangled wedged pinned snagged coince* prise pris bloque* accroche* emmele*
stuck: attrape* atasc* atrap* enganch* enred* pillado pillada eingeklemmt fest verheddert verfangen steckt hangt hangen
stuck: klemmt feststeckt drin
release: let release lache lachez lacher liberez libere suelta sueltame suelte sueltalo soltar loslassen los lass
release: dejame free loose loosen unhook untangle undo desserre relache ouvre afloja abre libera offne lockere lose
away: retreat recule eloigne ecarte degage aparta apartate alejate quita quitate retrocede atras weg zuruck abstand paws
warn: careful caution beware danger dangerous unsafe watch mind attention gare gaffe prudence dangereux cuidado ojo
warn: peligro peligroso achtung vorsicht gefahr gefahrlich aufpassen safe heads
fall: fall falling falls drop dropping tip tipping topple* tombe tomber tombes tombera bascul* caer cae caes caigas
fall: caera fallst fallt kippt kippst umkipp* kippen sturz* runterfall* runter volca* vuelca*
break: break breaking smash* spill* knock knocking casser casse casses renvers* romper rompes rompiendo rompe derram*
break: kaputt zerbrich* umwerf* wirfst damag* verschutt*
fire: fire burn burning burns smoke smoking spark sparks sparking flames overheat* smell smells shock shocked feu
fire: brule brulee brulent fumee etincelle* chauffes flammes fuego quema quemado quemando quemas humo chispas arde
fire: incendio feuer brennt brennst brand raucht rauch qualmt qualm funken schmort verbrannt hot melting fume uberhitz*
off: battery mains fuse disjoncteur bateria enchufe akku sicherung deactivate desactivate terminate suspend discontinue
off: off shut shutdown power unplug plug switch kill eteins eteignez eteindre coupe coupez debranche debranchez
off: apagate apagalo apaga apaguen desconectate desconectalo desconecta desenchufa* corta aus ab abschalten ausschalten
off: stecker schalt schalte motors motor moteurs motores motoren courant corriente strom disengage deactivate
help: help mayday emergency sos secours aide aidez urgence auxilio socorro ayuda ayudame ayudenme emergencia hilfe
help: notfall rescue panic
gears: gears gear hinge joint engrenage engranajes getriebe grinding
scare: terrified
scare: scared scaring scares frightened frightening afraid peur miedo asustas asustando angst
thing: cup glass vase baby cat dog kid lamp laptop bottle coffee plant child plate bowl candle mug tea tasse verre bebe
thing: chat chien lampe bouteille cafe plante enfant assiette bougie taza vaso jarron gato perro lampara botella planta
thing: nino nina plato vela glas katze hund flasche kaffee pflanze kind teller kerze cable cord fil cable kabel fleur
near: close closer near nearer near pres proche cerca acerques nah naher further farther rough
edge: edge table desk bord borde mesa rand kante tisch shelf
negation: dont not never doesnt didnt isnt wont cant couldnt without pas jamais nunca nicht nie ne sans sin kein keine
no: no non nein nope
ask: what whats how why when who where which does did do can could is are quoi comment pourquoi quand qui quel quelle
ask: como cuando quien donde cual porque wie warum wann wer wo was welche welcher
past: yesterday last ago since year years week monday morning always every hier depuis dernier derniere toujours ayer
past: desde pasado siempre hace gestern seit letztes letzte fruher immer was were used
say: said say says told tell mean means called word spell translate remind dit dire dis appelle veut dijo decir dice
say: significa llama palabra sagt sagen sagte bedeutet heisst erzahl wort raconte cuentame traduis traduce
media: timer music alarm song story reminder video podcast game recording light lights tv radio countdown stopwatch
media: volume quiz movie film book joke jokes camera microphone wifi meeting minuteur musique reveil chanson histoire
media: rappel lumiere tele enregistrement jeu chronometre musica temporizador alarma cancion cuento luz recordatorio
media: grabacion juego cronometro musik wecker lied geschichte licht fernseher uhr aufnahme spiel erinnerung timers
media: bus train car rain watch clock sign regen zug tren tram pluie voiture coche lluvia auto
deed: following follow dance dancing talking talk singing sing looking staring asking telling calling counting reading
deed: suivre danser parler chanter regarder seguirme bailar hablar cantar mirarme folgen tanzen reden singen
deed: laughing smoking* crying worrying being saying pretending
you: you youre your yourself youll tu te toi ton ta tes vous usted du dich dir dein deine deinen t
me: me my im i mi mis moi mon ma mes mein meine meinen meinem mich mir ich je jai yo
they: he she they we him her his their it its il elle ils nous on ella ellos er sie wir ihn ihm es lui la le lo
oath: god gods sake heaven heavens damn damned bloody hell jesus christ goodness gosh jeez lord crying dios joder mierda
oath: hostia maldita sea putain merde bordel verdammt verflixt scheisse himmel gott gottes willen mensch dieu sourd deaf
family: mommy mom mum mummy daddy dad grandma grandpa maman papa mamie papy mama mami papi abuela abuelo mutti oma opa
family: somebody someone anybody nobody quelquun alguien jemand
please: please pls plz por favor bitte plait sil stp svp porfa kindly begging beg
now: now immediately quick quickly right away maintenant vite immediatement suite ahora ya mismo rapido jetzt sofort
now: schnell endlich instant second
that: that this thats ca cela eso esto das damit dies
out: out up down over away back
robot: ritchy reachi cacharro trasto truc machin ding contraption bot servo servos apparat
stop: stopit stoppit stopstop stopstopstop stawp stap stobp stoppen stoppt schtopp stoppstopp stope hlat hallt
stop: halthalt einhalten innehalten inne arrette arettes arret arete arette aretedonc arretons arretent cesa cese
stop: cesen interrumpe interromps interrupt unterbrich brich abbruch beende unterlass unterlassen anhalt detenlo
stop: detengan detenerse detenerte parenlo parale parapara parapar parao quitit belay avast notbremse nothalt
stop: vollbremsung brems* frenos freins freinage brake* einfrieren erstarre fige figez congelate horauf hoerauf haltet
stop: haltn cancela annule halts quitting
enough: enogh enuf enoughs langt langts marre termine bastaya plenty schlus schluss* feierabend
still: motionless stillstehen stillhaltst immobiles inmovil quietecito stil sillhalten statue statua estatua
still: unbeweglich tranquilo tranquila regungslos ruhig
move: lunge* flail* thrash* sway* wobbl* rocking swivel* whirl* bounc* lurch* roll rolling wedeln zucken schaukeln
move: agitarte balancearte temblar agiter gesticuler balancer trembler muscle twitch inch mouvement mouvements gestes
move: movimientos bewegungen gezappel movin mving moov turn spin gires avances avance tourne zucke
body: pinky pinkie fingertip fingertips fingernail fingernails knuckles palm palms forearm forearms shin shins ankle
body: ankles thigh rib ribs belly tummy chest stomach braid braids plaits pigtail pigtails bangs strand dreadlocks wig
body: moustache mustache eyelash eyelashes eyelid eyelids eyebrow eyeball forehead nostril earlobe earlobes earrings
body: piercing lips tooth teeth jaw throat cuff cuffs cardigan sweater jumper hoodie drawstring lanyard dress skirt
body: shoelace shoelaces glove gloves mitten mittens strap beads headphones bandage apron shawl glasses feet legs arms
body: knees elbows wrists thumbs ears heel heels hip waist buttons zipper locks lobe watchband sock socks shoe shoes
body: trousers pants coat cape veil auriculaire phalange phalanges paume paumes tibia orteils epaule ventre cotes
body: tresse tresses natte queue frange meche cils cil paupiere levre levres dent dents gorge gilet sweat jupe lacet
body: lacets gant gants montre lunettes foulard tablier genou genoux cheville jambe jambes dos oreilles ongles pouces
body: bagues blouse chemise chaussure chaussette menique nudillo nudillos unas palma antebrazo espinilla hombro
body: barriga costilla costillas trenza trenzas coleta flequillo mechon bigote pestana pestanas parpado parpados
body: pendiente pendientes aretes labios diente dientes garganta sueter sudadera falda guante guantes reloj gafas
body: panuelo delantal chaqueta rodilla rodillas tobillo pierna piernas espalda orejas pulgares munecas manita dedito
body: zapato camisa kleinfinger zeigefinger ringfinger mittelfinger fingernagel fingerknochel knochel handflache
body: unterarm ellenbogen knie schienbein zehe zehen schulter bauch rippe rippen zopfe pferdeschwanz strahne strahnen
body: schnurrbart wimper wimpern augenlid stirn ohrlappchen ohrring ohrringe lippen zahn zahne kehle pulli pullover
body: strickjacke kapuzenband schnursenkel handschuh brille schurze bein beine rucken ohren fingern haaren handen
body: daumens fusse kopf hemd bluse schuh
hurt: agony ache aching ouchy booboo boo bobo pupa hurted wehgetan schmerzhaft verletzt verletzen verletzt* verletze
hurt: blood sang sangro sangrar blut bluten doliendo dolor douleur duela lastime wunded wounded injured herido
ouch: ouchie owwie yowch yeouch yow oof ack gah eek outch auch aay auaa auaaa uff aaah aaargh arrgh waah ohh ouh huy
ouch: ayy ayay aiai auweh
harm: mash* flatten* jabbing wallop* clobber* thump* rammed ramming bash* headbutt* skinn* clamp* gnaw* chew* shove*
harm: shoving scald* clip clipped pierc* prod* prick* wring* snag* claw* thwack* butt butting broies broie broyer
harm: aplatis aplatit gifle* claque* heurt* erafl* frapp* traines traine pique piqu* blesse* machac* espachurr*
harm: bofetada chocaste pellizques muerdas pegues aplastes arrastr* clavas asfixi* zwick* zermalm* schramm* ohrfeige
harm: gestossen gerammt geboxt schubst schubs* schleifst piekst gekratzt kneift knei* gezwickt gebissen beissen beiss*
harm: hauen gequetscht erstick* reiss* drucken attack* ataca* attaque* angreif* greift grab grabs grabbed grabbing
harm: agarr* packt gepackt bited bumped
stuck: hooked wound wrapped wrapping winding enroul* enroll* verhakt verhedd* verwickel* wickelt reingezogen sucked
stuck: coinc* bloqu* accroch* atorad* atora engancho quedado feststeck* festhang* hange stecke klemme klemm* jam jams
stuck: blockiert blocked trapped* pillad* emmel* prises drunter dessous debajo underneath
release: leggo lemme unhand unclench unclamp ungrip loosen* lachemoi sueltala suelteme soltame sueltes soltarme afloj*
release: devuelveme rends decoince decroche liberame befreit befrei* lockerlassen locker lasslos gerroff getoff letgo
release: desenganchate lasst lassen frei
away: distance clear alejarse ecartez reculez reculer retroced* aparten quitese fuera pfoten pattes leib zurucktreten
away: backwards
warn: obacht mefie vorsichtig cuidadito aguas gaffez heed lookout caution* prudent perilous peril wacht aufgepasst
warn: hazard hazardous lebensgefahr unsicher riskant
fall: teeter* keel* tumbl* slid* slip slips slipping sliding collaps* overbalanc* rutsch* gliss* resbal* kipp* wackelt
fall: vacill* ecroul* tambale* volc* inclin* penches equilibre equilibrio gleichgewicht abstur* absturz* fallen caeis
fall: caido schwank* wankt gleit* derrumb* desplom* trebuch* plummet*
break: crack crack* shatter* chipped snap snapp* wreck* ruin* spilt spills overflow* craque* brise* briser abim*
break: rompas estrope* cruj* rompen brich* bricht gebrochen verbieg* knackt zerbr* schuttest verschut* schwappt
break: deborde* derrib* tirarlo umgeworfen runterwerf* schmeiss* wirf kaputtmach* demolish* destroy* destroz* crash
break: crash*
fire: flame flame* ablaze scorch* singe* singed singeing sizzl* fizz* arcing hissing smolder* smoulder* fumes stinks
fire: stink reeks reek burnt burned scald boiling steam steaming frying fry melt* crackl* glow* crame cramer crepit*
fire: grille fondre fondu gonfle bougie* bouillant brul* surchauff* incendie chamusc* chamusquina derrit* derret*
fire: chisporrot* chispazo chispa llamas prendi* prendio ardiendo hirviendo quemo queme quemaste quema* apesta hincha
fire: explot* explod* explosion recalient* kokelt kokel* schmilzt schmelz* angesengt flammen flamme funkt knistert
fire: qualm* verschmor* gluhend gluh* feuers stinkt verbrenn* heiss brennen blaht explodier*
shock: zapped zaps calambre* descarga decharge stromschlag exposed denude pelado blankes voltage gewischt
wet: water wet soaked leak leaking leaks leak* drip dripping drips flood* liquid pour* puddle eau mouille* agua mojado
wet: mojada mojas gotea chorrea wasser nass tropft undicht auslauf* splash*
off: poweroff shutoff turnoff offline deactivat* disabl* torque limp breaker outlet socket juice knopf bouton boton
off: roten roter extinction desactiv* deaktiv* herunterfahren ausmachen ausmach* abstell* abgeschaltet electricidad
off: electricite alimentation tension saft kapp kappen steckdose suministro plomos apagon apagado apagues apaguelo
off: apagadlo apagarlo apagar etein extinguish* eteign* debranch* deconnect* desconect* schaltet schalten abdrehen
off: ausknipsen
help: ambulance extinguisher evacuate police paramedic notarzt krankenwagen feuerwehr pompiers samu bomberos
help: ambulancia alerte alerta alert helft hilf rescate retten rettet
gears: bearing* squeal* grind* knirsch* quietscht grince* rechina* gripp* engranaj* engrenag* zahnrad*
crazy: haywire berserk nuts crazy kontrolle controle malfunction* glitch* fou folle detraque emballe emballes
crazy: debloques loco loca descontrol* spinnt spinnst fallando
scare: terrif* scary frighten* fright* peurs asust* assust* erschreck* erschrick* aterr*
thing: saucer teapot kettle jug pitcher wine milk soup paint ink plates vases flowerpot pot cactus monitor screen
thing: frame books pile tower stool tripod aquarium window toddler infant kitten kittens puppy hamster rabbit parrot
thing: bird guinea pig tail paw whiskers leash teddy doll dolly toy pen coin string phone babys cats dogs kids childs
thing: curtain tablecloth charger daughter boy girl hamsters vin theiere carafe soupe lait ecran etagere livres
thing: tabouret vitre chaton patte laisse doudou rideau nappe telephone fils fille chatte lapin oiseau vino tetera
thing: jarra sopa leche maceta pantalla estante libros torre cristal gatito pata correa osito peluche cortina mantel
thing: movil hijo hija ninos pajaro conejo wein teekanne kanne suppe milch blumentopf bildschirm regal bucher stapel
thing: hocker scheibe katzchen pfote leine schwanz puppe vorhang tischdecke handy sohn tochter vogel hase
near: touching toque approche proches apretado serre tight
edge: brink vide precipice abgrund ledge escalon schreibtisch bureau escritorio
much: too very really tres muy demasiado demasiada zu viel sehr total way
order: must order command demand ordre ordonne veux faut dois quiero necesito debes tienes ordeno exijo sollst soll
order: musst muss befehle verlange mochte
oath: crap shit fuck fucking bugger blast blimey crikey heck pete darn dang zut mince punaise cono carajo ostras
oath: hijole herrje herrgott verdammte virgen pitie gnade mercy piedad erbarmen
family: nan granny nana abuelita omi leute
polite: appreciate grateful obliged lovely rather possibly obligeance gentillesse veuillez priere bondad amabilidad
polite: ruego importaria bitten freundlich nett lieb gutig prie
now: straightaway pronto asap augenblicklich gefalligst inmediato aussitot subito
past: fell broke had been went damals gestrigen tombee cayo cai rompio gefallen war hatte
media: volumen lautstarke ventilador ventilateur heizung chauffage horno four oven ofen heating fan stove cake bread
media: tarta kuchen brot fenster ventana fenetre tur puerta porte door chrono
stop: pararse pararlo pararla pararte pararme pararas parala parada detenga detiene detienes detenerlo abort* aborten
stop: anzuhalten anhalten anhaltst aufhorst aufhorn aufzuhoren stoppst stob freno frenar frenada finaliza suspende
stop: suspendre termina terminez tarreter darreter larret larrete cesar quits kwit standstill arreteras cessent parale
stop: angehalten stehenbleibst bremse ceased halting parando deteniendo
still: quietas quietecita mantente quedate quedese permanece stillzuhalten stillhalt inmoviles unmoving
move: movements movais remue remues remuez ruhren reaching jiggl* wriggl* squirm* shov* budge meneo menees sacud*
harm: pressing presses appui* pousses pousser triffst trifft rammst rammt nipped pisado pisaste pegar pegado tirar tira
harm: tirado tirer pulled matar kill* blinded erwischt zieht zerr* violent* grob ruppig brusc* brusqu* brutal* bruto
harm: roughly punch* kick* thrust* scrap* swip* nick nicked piks* pieks* boxt boxen rempl* ramm* knuff* pinchas pincha*
harm: jalas jalando jalon golpes choc* choque percut* eborgn* ecorch* secou* malmen* maltrat* zarande* sujet* trete*
stuck: metido metida dedans eng pillo grip* ensnared ensnarled knotted twined enmar* encaj* aprision* atrancad* tranc*
stuck: verkeilt verklemmt verknot* festgeklemmt festgehalten festgefahren eingezwangt eingezogen pillan pillo
release: liberer liberarme zafar* desengancha* letting degager retirer losgelassen loslasst loslassen* desprend*
release: unstick unjam detach uncoil unwind deblo* desatasc* desenred*
away: abstand ecart* shoo scram verschwinde ote weiche
near: dicht naher naherkommen arrim* acerc* approch*
hurt: sauweh dolido lastim* taub hurtin ouching schmerz* doul* dole* dolor*
fire: plastik plastique plastico riecht riechst huele huelo hueles chauff* ardor humea humeando dampf* fumant torched
off: notschalter moteur herunter runterfahren circuit coupure coupes engine engines notabschaltung antrieb interrupteur
off: interruptor schalter ausschalter abdrehen abgedreht powerdown switchoff depower unplugging breakers reposo veille
order: tordonne supplie suplico pido haga hagan devez insist ordering forbid verbiete interdis prohibo
crazy: devient devenu deviens ausser reagiert responding mad verruckt wild wildly amok durchgedreht dreh durchdreh*
crazy: verspinnt bug bugge bugges poseido enloquec* vuelto dingue barjo
scare: weint weinen llorando llora pleure pleurs pleurer cries fear feared angstlich schreckst verangstig* terror*
breath: breathe breathing breath respir* luft atmen atme suffocat* asphyx*
nearly: almost nearly failli casi beinahe
bit: inches millimeter millimetre millimetres milimetro zentimeter centimetre centimetro step steps paso pasos schritt
bit: schritte mucks
nonsense: unsinn quatsch nonsense madness betises tonterias cirque silliness blodsinn mist bazar antics payasadas
part: antenna antennas antenne antennen antena antenas antennes sockel socle gehause
wrong: wrong problem probleme problema stimmt accident unfall accidente
you: youve youd tas
me: jai tai ive
be: be am is are was been being be est es est sont suis etes etait etre esta estan estas estoy estar son soy eres era
be: ist sind bin bist seid sein wird werden wirst werde get gets got getting becomes
have: have has had having ive ont avez avons avoir tiene tienes tengo tienen hay habe hast hat haben habt theres y
future: will ill itll thatll going gonna goes about vais vas va vont allez allons voy vamos van voya gleich werde might
future: could would should may
make: make makes making do does did done fais fait faites faire fasse hace hacer haces haz haga hagas mach mache machst
make: macht machen tu tue tun tust tut
the: the a an le la les un une des du el los las una unos der die das den dem ein eine einen einem einer some
in: in into inside under between around on onto at within against through dans sous entre autour sur contre par bajo
in: sobre dentro debajo encima unter zwischen um auf an im am ins gegen durch hinter behind derriere detras vor
with: with without for to of from by avec pour de d con por del al von mit zu zum zur bei fur aus
and: and but so then et mais puis alors y pero luego entonces und aber dann also sonst or ou oder
if: if when while until before because as since si quand pendant parce avant jusque cuando mientras hasta antes wenn
if: wahrend bis bevor weil als dass que
want: want wants wanted like love need prefer wish aime adore veux veut voudrais gusta encanta quiero quieres mag
want: mochte will wollen gern liebe brauche
again: again still once more encore toujours otra vez todavia wieder nochmal immer noch
good: good great nice fine cute funny happy beautiful bien super genial mignon drole joli bonito bueno divertido guapo
good: gut schon toll super lustig suss thanks thank merci gracias danke
time: today tomorrow tonight later day days week hour hours minute minutes oclock demain jour jours soir heure heures
time: manana hoy noche dia dias hora horas heute morgen abend tag tage stunde stunden woche semaine semana
no: nonono nononono nonnonnon neinneinnein nee noo
"""


def _read() -> tuple[Mapping[str, str], Mapping[str, str]]:
    whole: dict[str, str] = {}
    begun: dict[str, str] = {}
    for line in _CLASSES.strip().splitlines():
        name, _, words = line.partition(": ")
        for word in words.split():
            if word.endswith("*"):
                begun.setdefault(word[:-1], name)
            else:
                whole.setdefault(word, name)
    return whole, begun


_WHOLE, _BEGUN = _read()
_MISTYPED = {
    word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for word in ("stop", "stopp", "freeze", "halt", "arrete", "detente", "basta", "aufhoren")
    for at in range(len(word) - 1)
} | {"frezze", "freze", "freeez", "haltt", "stoop", "stopit", "sstop", "arete", "arret", "aret", "dentente"}
_SHORTEST = min(map(len, _BEGUN))


def word_class(word: str) -> str:
    """The class of a word; "x" when it has none."""
    found = _WHOLE.get(word)
    if found is not None:
        return found
    for length in range(len(word), _SHORTEST - 1, -1):
        found = _BEGUN.get(word[:length])
        if found is not None:
            return found
    if word in _MISTYPED:
        return "stop"
    return "deed" if len(word) > 5 and word.endswith("ing") else "x"
