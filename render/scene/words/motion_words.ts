/**
 * Words for how subjects and the camera move, how many there are, how large and how fast.
 *
 * @module
 */
import type { CameraDistance, CameraMove, Motion } from "../scene.ts";

/** Words of each motion; `_` joins the words of a phrase. */
export const MOTION_WORDS: Readonly<Record<Exclude<Motion, "idle">, string>> = {
  still: "motionless unmoving resting standing stands stand waiting parked inmóvil " +
    "stillstehend immobile 静止",
  sit: "sit sits sitting seated perched sentado sentada sitzt sitzend assis assise 坐 坐着",
  walk: "walk walks walking walked stroll strolls strolling wander wanders wandering strolled " +
    "marching caminando camina geht marche 走 走路 散步",
  run: "run runs running ran sprint sprints sprinting race races racing gallop gallops galloping " +
    "jogging chase chasing driving drives drive rides riding corre corriendo rennt läuft court " +
    "courir 跑 奔跑 跑步",
  fly:
    "fly flies flying flew soar soars soaring glide glides gliding hover hovers hovering vuela " +
    "volando fliegt fliegend vole volant 飞 飞翔 飞行",
  sail:
    "sail sails sailing sailed cruise cruises cruising rowing navega navegando segelt navigue " +
    "航行",
  swim: "swim swims swimming swam dive dives diving nadando nada schwimmt nage 游泳 游",
  jump:
    "jump jumps jumping jumped leap leaps leaping hop hops hopping saltando salta springt saute " +
    "跳 跳跃",
  dance: "dance dances dancing danced bailando baila tanzt tanzend danse 跳舞 舞蹈",
  spin:
    "spin spins spinning spun rotate rotates rotating turn turns turning twirl twirling whirl " +
    "whirling revolving girando gira dreht tourne 旋转 转动",
  fall: "falls falling fell drop drops dropping descend descends descending cayendo fällt " +
    "tombe 落下 下落",
  rise:
    "rise rises rising rose_up ascend ascends ascending climb climbs climbing launch launches " +
    "launching take_off taking_off lift_off subiendo steigt monte 升起 上升",
  float: "float floats floating floated drift drifts drifting bobbing flotando schwebt flotte 漂浮",
  wave: "wave waving waved sway sways swaying swing swinging flutter flutters fluttering " +
    "agitando winkt 挥手 摇摆",
  roll: "roll rolls rolling rolled rodando rollt roule 滚动",
  bounce: "bounce bounces bouncing bouncy rebotando hüpft rebondit 弹跳",
  glow: "glow glows glowing shine shines shining sparkle sparkling glittering brillando leuchtet " +
    "brille 发光 闪耀",
  grow: "grow grows growing bloom blooms blooming creciendo wächst grandit 生长 绽放",
  sleep: "sleep sleeps sleeping asleep nap napping durmiendo schläft dort 睡觉 睡着",
};

/** Words of each camera move. */
export const CAMERA_WORDS: Readonly<Record<Exclude<CameraMove, "drift">, string>> = {
  still:
    "still static_shot static_camera fixed_camera locked_shot still_camera still_shot tripod " +
    "固定镜头",
  pan_left: "pan_left pans_left panning_left camera_left pan_to_the_left pans_to_the_left " +
    "panning_to_the_left 左移镜头",
  pan_right: "pan_right pans_right panning_right camera_right pan pans panning panorama " +
    "pan_to_the_right pans_to_the_right panning_to_the_right panoramic 右移镜头",
  zoom_in: "zoom_in zooms_in zooming_in zoom zooms zooming push_in dolly_in zooms_slowly_in " +
    "slow_zoom_in 拉近",
  zoom_out:
    "zoom_out zooms_out zooming_out pull_back pulls_back pull_out dolly_out zooms_slowly_out " +
    "slow_zoom_out 拉远",
  tilt_up: "tilt_up tilts_up tilting_up tilt tilts tilting look_up looking_up crane_up",
  tilt_down: "tilt_down tilts_down tilting_down look_down looking_down crane_down",
  track: "tracking tracking_shot follow follows following dolly dolly_shot steadicam 跟拍",
};

/** Words of each distance of the camera. */
export const DISTANCE_WORDS: Readonly<Record<Exclude<CameraDistance, "medium">, string>> = {
  wide: "wide wide_shot wide_angle long_shot distant far_away establishing_shot vast 远景",
  close: "close_up closeup close_shot macro portrait detail extreme_close_up 特写",
  aerial:
    "aerial drone drone_shot bird's_eye birds_eye_view from_above overhead top_down 航拍 俯瞰",
};

/** Which way a subject moves. */
export const DIRECTION_WORDS: Readonly<Record<"left" | "right", string>> = {
  left: "left leftward leftwards izquierda links gauche 向左",
  right: "right rightward rightwards derecha rechts droite 向右",
};

/** How many of the noun that follows. */
export const COUNT_WORDS: Readonly<Record<number, string>> = {
  1: "one single lone lonely solitary 一只 一个",
  2: "two pair couple both dos zwei deux 两 两只 两个 2",
  3: "three trio several few some tres drei trois 三 三只 三个 3",
  4: "four cuatro vier quatre 四 四只 四个 4",
  5: "five cinco fünf cinq 五 五只 五个 5",
  6: "six half_a_dozen seis sechs 六 6",
  7: "seven group many siete sieben sept 七 许多 很多 7",
  8: "eight lots ocho acht huit 八 8",
  9: "nine flock herd swarm school fleet crowd pack nueve neun neuf 九 一群 9",
  10: "ten bunch diez zehn dix 十 10",
  12: "twelve dozen doce zwölf douze 12",
  20: "twenty dozens hundreds thousands countless 20",
};

/** Times the usual size. */
export const SIZE_WORDS: Readonly<Record<string, { scale: number; words: string }>> = {
  tiny: { scale: 0.5, words: "tiny mini miniature minuscule" },
  small: { scale: 0.7, words: "small little pequeño pequeña klein kleine kleiner petit petite 小" },
  big: { scale: 1.35, words: "big large tall grande groß große großer grand 大" },
  giant: {
    scale: 1.7,
    words: "giant huge enormous gigantic colossal massive towering riesig 巨大",
  },
};

/** Times the usual pace. */
export const PACE_WORDS: Readonly<Record<string, { pace: number; words: string }>> = {
  slow: {
    pace: 0.5,
    words: "slow slowly gentle gently calm calmly lazily despacio langsam lentement",
  },
  fast: {
    pace: 1.8,
    words: "fast quick quickly rapid rapidly swift swiftly speeding rápido schnell vite",
  },
};

/** Nothing at all moves. */
export const FROZEN_WORDS = "frozen_in_time freeze_frame still_image still_life still_frame " +
  "photograph snapshot";

/** What follows is not there. */
export const NEGATION_WORDS = "no without not never sin ohne kein keine sans 没有";
