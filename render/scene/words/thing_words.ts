/**
 * Words for things: each key is a drawing, each word in its singular unless the plural is
 * irregular; words of other languages follow the bar.
 *
 * @module
 */

/** Living things. */
export const CREATURE_WORDS: Readonly<Record<string, string>> = {
  fox: "fox foxes vixen | zorro fuchs renard 狐狸",
  wolf: "wolf wolves coyote | lobo loup 狼",
  dog: "dog puppy puppies hound | perro hund chien 狗 小狗",
  cat: "cat kitten kitty kitties | gato katze chat 猫 小猫",
  horse: "horse pony ponies stallion mare | caballo pferd cheval 马",
  deer: "deer stag doe elk moose reindeer | ciervo hirsch cerf 鹿",
  cow: "cow bull ox oxen cattle | vaca kuh vache 牛",
  sheep: "sheep lamb | oveja schaf mouton 羊 绵羊",
  pig: "pig piglet | cerdo schwein cochon 猪",
  bear: "bear grizzly | oso bär ours 熊",
  polar_bear: "polar_bear white_bear | 北极熊",
  panda: "panda | 熊猫",
  lion: "lion lioness | león löwe 狮子",
  tiger: "tiger | tigre 老虎",
  elephant: "elephant | elefante elefant éléphant 大象",
  giraffe: "giraffe | jirafa 长颈鹿",
  zebra: "zebra | cebra 斑马",
  camel: "camel dromedary | camello kamel chameau 骆驼",
  rabbit: "rabbit bunny bunnies hare | conejo hase kaninchen lapin 兔子",
  mouse: "mouse mice rat | ratón maus souris 老鼠",
  dinosaur: "dinosaur t_rex | dinosaurio dinosaurier 恐龙",
  unicorn: "unicorn | unicornio einhorn licorne 独角兽",
  dragon: "dragon | dragón drache 龙",
  bird: "bird sparrow robin songbird swallow | pájaro vogel oiseau oiseaux 鸟 小鸟",
  eagle: "eagle hawk falcon | águila adler aigle 鹰",
  gull: "gull seagull | gaviota möwe mouette 海鸥",
  owl: "owl | búho eule hibou 猫头鹰",
  crow: "crow raven | cuervo rabe corbeau 乌鸦",
  duck: "duck duckling | pato ente canard 鸭子",
  swan: "swan goose geese | cisne schwan cygne 天鹅",
  penguin: "penguin | pingüino pinguin pingouin manchot 企鹅",
  chicken: "chicken hen rooster | gallina huhn poule 鸡",
  butterfly: "butterfly butterflies moth | mariposa schmetterling papillon 蝴蝶",
  bee: "bee bumblebee | abeja biene abeille 蜜蜂",
  firefly: "firefly fireflies | luciérnaga glühwürmchen luciole 萤火虫",
  fish: "fish fishes goldfish koi carp trout | pez peces fisch fische poisson poissons 鱼",
  shark: "shark | tiburón hai requin 鲨鱼",
  whale: "whale orca | ballena wal baleine 鲸鱼 鲸",
  dolphin: "dolphin porpoise | delfín delfin dauphin 海豚",
  jellyfish: "jellyfish | medusa qualle méduse 水母",
  turtle: "turtle tortoise | tortuga schildkröte tortue 乌龟 海龟",
  octopus: "octopus squid | pulpo krake pieuvre 章鱼",
  crab: "crab | cangrejo krabbe crabe 螃蟹",
  person:
    "person people man men somebody someone human farmer hiker chef teacher doctor scientist " +
    "engineer worker builder gardener baker butcher barista waiter driver firefighter fireman " +
    "firemen policeman policemen police_officer soldier knight king prince emperor wizard pirate " +
    "sailor fisherman fishermen painter artist student musician guitarist pianist violinist singer " +
    "drummer athlete runner jogger surfer skier skater swimmer climber samurai ninja monk " +
    "priest president businessman businessmen cowboy hunter traveler traveller tourist boxer " +
    "warrior grandfather grandpa father dad old_man craftsman blacksmith photographer " +
    "shepherd detective superhero viking guard merchant vendor barber tailor lawyer scholar " +
    "explorer magician juggler clown couple_of_people | persona hombre mensch mann " +
    "homme personne 人 男人",
  woman: "woman women lady ladies queen princess princesses dancer ballerina nurse actress " +
    "actresses waitress waitresses bride mother mom grandmother grandma witch witches empress " +
    "fairy goddess young_woman geisha | mujer frau femme 女人",
  child:
    "child children kid boy girl toddler baby schoolboy schoolgirl | niño niña kind kinder enfant 孩子 男孩 女孩",
  astronaut: "astronaut cosmonaut spaceman | astronauta 宇航员",
  robot: "robot android droid | 机器人",
  snowman: "snowman snowmen | muñeco_de_nieve schneemann 雪人",
};

/** Vehicles and craft. */
export const VEHICLE_WORDS: Readonly<Record<string, string>> = {
  sailboat: "boat sailboat yacht dinghy | barco velero boot segelboot bateau voilier 船 小船 帆船",
  ship: "ship ferry ferries cruise_ship freighter vessel | buque schiff navire 轮船",
  submarine: "submarine submersible u_boat u_boot | 潜水艇",
  car: "car automobile taxi cab | coche auto voiture 车 汽车",
  bus: "bus buses coach tram | autobús 公交车",
  truck: "truck lorry lorries van | camión lkw camion 卡车",
  train: "train locomotive railway | tren zug 火车 列车",
  bicycle: "bicycle bike cyclist | bicicleta fahrrad vélo 自行车",
  plane: "plane airplane aeroplane aircraft jet | avión flugzeug avion 飞机",
  helicopter: "helicopter chopper | helicóptero hubschrauber hélicoptère 直升机",
  rocket: "rocket spaceship spacecraft space_shuttle | cohete rakete fusée 火箭 飞船",
  ufo: "ufo flying_saucer alien_ship | ovni 飞碟",
  hot_air_balloon: "hot_air_balloon | globo_aerostático heißluftballon montgolfière 热气球",
  balloon: "balloon | globo luftballon ballon 气球",
  kite: "kite | cometa papierdrachen cerf_volant 风筝",
};

/** Buildings, plants and objects. */
export const OBJECT_WORDS: Readonly<Record<string, string>> = {
  house: "house cottage cabin hut barn | casa haus maison 房子 小屋",
  castle: "castle palace fortress fortresses | castillo schloss burg château 城堡 宫殿",
  tower: "tower turret | torre turm tour 塔",
  lighthouse: "lighthouse beacon | faro leuchtturm phare 灯塔",
  windmill: "windmill wind_turbine | molino windmühle moulin 风车",
  bridge: "bridge | puente brücke pont 桥",
  church: "church churches chapel cathedral | iglesia kirche église 教堂",
  temple: "temple pagoda shrine | templo tempel 寺庙 庙",
  tent: "tent camp | tienda_de_campaña zelt 帐篷",
  pyramid: "pyramid | pirámide pyramide 金字塔",
  statue: "statue monument | estatua 雕像",
  tree: "tree oak maple willow | árbol árboles baum bäume arbre arbres 树",
  pine: "pine fir spruce conifer christmas_tree | pino tanne kiefer sapin 松树",
  palm: "palm palm_tree coconut_tree | palmera palme palmier 棕榈树 椰子树",
  cherry_tree: "cherry_tree cherry_blossom sakura blossom | cerezo kirschbaum cerisier 樱花 樱花树",
  cactus: "cactus cacti cactuses | kaktus 仙人掌",
  flower: "flower tulip rose poppy poppies daisy daisies lily lilies | flor flores blume blumen " +
    "fleur fleurs 花 花朵",
  sunflower: "sunflower | girasol sonnenblume tournesol 向日葵",
  mushroom: "mushroom toadstool | seta pilz champignon 蘑菇",
  leaf: "leaf leaves foliage | hoja hojas blatt blätter feuille feuilles 叶子 树叶",
  rock: "rock boulder stone | roca felsen rocher 石头 岩石",
  lamp: "lamp street_lamp lamppost streetlight | lámpara lampe réverbère 灯 路灯",
  lantern: "lantern paper_lantern sky_lantern | linterna laterne lanterne 灯笼",
  candle: "candle | vela kerze bougie 蜡烛",
  campfire: "campfire fire bonfire flame | hoguera fuego feuer lagerfeuer feu 火 篝火",
  umbrella: "umbrella parasol | paraguas regenschirm parapluie 伞 雨伞",
  clock: "clock watch watches | reloj uhr horloge 钟 时钟",
  book: "book | libro buch livre 书",
  sofa: "sofa couch armchair loveseat | sofá canapé fauteuil 沙发",
  table: "table desk dining_table coffee_table wooden_table | mesa tisch schreibtisch 桌子",
  chair: "chair stool bench benches | silla stuhl chaise 椅子",
  bed: "bed | cama bett lit 床",
  fireplace: "fireplace hearth | chimenea kamin cheminée 壁炉",
  bookshelf: "bookshelf bookshelves bookcase | estantería bücherregal bibliothèque 书架",
  bottle: "bottle jar vial | botella flasche bouteille 瓶子",
  glass: "glass glasses goblet wine_glass | vaso copa trinkglas verre 玻璃杯",
  vase:
    "vase vase_of_flowers bouquet flowers_in_a_vase flower_pot flowerpot potted_plant houseplant | jarrón blumentopf 花瓶 花盆",
  cup:
    "cup mug coffee tea teacup coffee_cup cup_of_coffee cup_of_tea coffee_mug | taza tasse 杯子 咖啡 茶",
  apple: "apple | manzana apfel pomme 苹果",
  cake: "cake birthday_cake | pastel kuchen torte gâteau 蛋糕",
  gift: "gift present | regalo geschenk cadeau 礼物",
  guitar: "guitar | guitarra gitarre guitare 吉他",
  bubble: "bubble | burbuja seifenblase bulle 泡泡 气泡",
  crystal: "crystal gem jewel | cristal kristall 水晶 宝石",
};

/** Shapes. */
export const SHAPE_WORDS: Readonly<Record<string, string>> = {
  ball: "ball sphere orb | pelota bola kugel balle 球",
  circle: "circle disc disk dot | círculo kreis cercle 圆 圆形",
  square: "square | cuadrado quadrat carré 正方形 方块",
  rectangle: "rectangle | rectángulo rechteck 长方形",
  triangle: "triangle | triángulo dreieck 三角形",
  star: "star | estrella stern étoile 星形 五角星",
  heart: "heart | corazón herz cœur 心 爱心",
  diamond: "diamond rhombus | diamante raute losange 菱形 钻石",
  hexagon: "hexagon | hexágono sechseck hexagone 六边形",
  cube: "cube box boxes | cubo würfel 立方体",
  ring: "ring hoop | anillo anneau 圆环",
  spiral: "spiral swirl | espiral spirale 螺旋",
  cross: "cross crosses plus_sign | cruz kreuz croix 十字",
};

/** Things of the sky, of which there is one, or a skyful. */
export const SKY_WORDS: Readonly<Record<string, string>> = {
  sun: "sun suns | sol sonne soleil 太阳",
  moon: "moon moons full_moon crescent | luna mond lune 月亮",
  stars:
    "stars starry starlight milky_way constellation constellations | estrellas sterne étoiles " +
    "星星 星空",
  rainbow: "rainbow rainbows | arcoíris regenbogen arc_en_ciel 彩虹",
  aurora: "aurora northern_lights aurora_borealis southern_lights | polarlicht nordlicht 极光",
  comet:
    "comet comets meteor shooting_star meteors falling_star | cometas_del_cielo sternschnuppe 流星 彗星",
  fireworks: "firework fireworks | fuegos_artificiales feuerwerk feux_d'artifice 烟花",
  planet: "planet planets saturn jupiter | planeta planète 行星 星球",
  earth: "earth globe | tierra erde terre 地球",
};
