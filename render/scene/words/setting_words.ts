/**
 * Words for weather, time of day and season.
 *
 * @module
 */
import type { Season, TimeOfDay, Weather } from "../scene.ts";

/** Words of each weather; `_` joins the words of a phrase. */
export const WEATHER_WORDS: Readonly<Record<Weather, string>> = {
  clear: "clear cloudless sunny sunshine sunlit clear_sky blue_sky fair_weather " +
    "晴 晴天 阳光 soleado sonnig ensoleillé",
  cloudy:
    "cloud clouds cloudy overcast grey_sky gray_sky nube nubes nublado wolke wolken bewölkt " +
    "nuage nuages nuageux 云 多云 阴天",
  rain: "rain rains rainy raining rainfall drizzle drizzly drizzling shower showers downpour " +
    "monsoon raindrops lluvia lluvioso lloviendo regen regnerisch regnet pluie pluvieux 雨 下雨 雨天",
  snow:
    "snow snows snowy snowing snowfall snowflake snowflakes blizzard flurries snowstorm sleet " +
    "nieve nevado nevando schnee schneit verschneit neige enneigé 雪 下雪 雪天",
  fog: "fog foggy mist misty haze hazy smog niebla bruma nebel neblig brouillard brume 雾 大雾",
  storm: "storm storms stormy thunder thunderstorm thunderstorms lightning tempest hurricane " +
    "typhoon tormenta sturm gewitter orage tempête 暴风雨 雷雨 闪电",
  wind: "wind winds windy breeze breezy gust gusts gusty gale viento ventoso windig vent venteux " +
    "风 大风",
};

/** Words of each time of day. */
export const TIME_WORDS: Readonly<Record<TimeOfDay, string>> = {
  dawn: "dawn daybreak sunrise first_light early_morning break_of_day amanecer morgengrauen " +
    "sonnenaufgang aube lever_du_soleil 黎明 日出 清晨",
  morning: "morning mornings forenoon mañana vormittag matin 早晨 早上 上午",
  noon: "noon midday noontime day daytime daylight high_noon mediodía día mittag midi jour " +
    "中午 白天",
  afternoon: "afternoon afternoons late_day tarde nachmittag après_midi 下午 午后",
  sunset: "sunset sundown golden_hour evening evenings atardecer puesta_de_sol sonnenuntergang " +
    "abend coucher_de_soleil soir 日落 黄昏 夕阳 傍晚",
  dusk: "dusk twilight nightfall gloaming blue_hour crepúsculo dämmerung crépuscule 暮色",
  night: "night nights nighttime midnight nocturnal moonlit moonlight after_dark noche " +
    "medianoche nacht mitternacht nuit minuit 夜 夜晚 夜里 晚上 午夜",
};

/** Words of each season. */
export const SEASON_WORDS: Readonly<Record<Season, string>> = {
  spring: "spring springtime vernal april may_day blossoming primavera frühling printemps 春 春天",
  summer: "summer summers summertime july august verano sommer été 夏 夏天",
  autumn: "autumn autumnal fall_leaves in_fall in_the_fall october november autumn_leaves otoño " +
    "herbst automne 秋 秋天",
  winter: "winter winters wintertime wintry december january icy frosty frost invierno hiver " +
    "冬 冬天",
};
