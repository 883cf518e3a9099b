/**
 * Words for places.
 *
 * @module
 */
import type { Place } from "../scene.ts";

/** Words of each place; `_` joins the words of a phrase. */
export const PLACE_WORDS: Readonly<Record<Place, string>> = {
  sea: "sea seas ocean oceans open_water waves mar océano meer ozean mer océan 海 大海 海洋",
  beach:
    "beach beaches seaside shore seashore coast coastline strand playa plage küste 海滩 沙滩 海边",
  island: "island islands isle atoll isla insel île 岛 小岛",
  harbour: "harbour harbor port marina dock docks pier quay puerto hafen port_de_mer 港口 码头",
  lake: "lake lakes lagoon lago see_ufer lac 湖 湖泊",
  pond: "pond ponds koi_pond lily_pond fish_pond estanque teich étang 池塘",
  river: "river rivers stream brook creek riverbank río fluss rivière fleuve 河 河流 小溪",
  mountains: "mountain mountains mountainous peak peaks alps alpine summit highlands montaña " +
    "montañas berg berge montagne montagnes 山 高山 山脉",
  hills:
    "hill hills hilly hillside rolling_hills valley colina colinas hügel colline collines 丘陵 山谷",
  forest: "forest forests wood woods woodland woodlands grove bosque wald forêt 森林 树林",
  jungle: "jungle rainforest rain_forest tropical_forest selva dschungel 丛林 雨林",
  bamboo: "bamboo bamboos bamboo_forest bamboo_grove bambú bambus bambou 竹林 竹子",
  meadow: "meadow meadows grassland pasture prairie pradera wiese prairie_fleurie 草地 草原",
  field: "field fields farmland farm wheat_field wheat cornfield crops campo feld champ champs " +
    "田野 农田 麦田",
  garden: "garden gardens park parks orchard flower_bed jardín garten jardin 花园 公园",
  desert: "desert deserts dunes dune sand sahara arid desierto wüste désert 沙漠",
  arctic: "arctic antarctic polar tundra glacier glaciers iceberg icebergs north_pole south_pole " +
    "ice_field snowfield ártico arktis arctique 北极 南极 冰川",
  volcano: "volcano volcanoes volcanic lava eruption volcán vulkan volcan 火山",
  waterfall: "waterfall waterfalls cascade cascada wasserfall chute_d'eau 瀑布",
  city: "city cities skyline downtown metropolis cityscape skyscraper skyscrapers urban ciudad " +
    "stadt großstadt ville 城市 都市",
  street: "street streets avenue alley boulevard calle straße rue 街 街道",
  road: "road roads highway highways motorway freeway country_road roadway carretera landstraße " +
    "autobahn route_nationale 马路 公路",
  village: "village villages hamlet countryside pueblo aldea dorf hameau 村庄 村子 乡村",
  room: "room rooms indoors indoor inside bedroom living_room interior home habitación " +
    "zimmer chambre office classroom library bookstore museum art_gallery hospital hallway " +
    "corridor lobby ballroom bathroom attic apartment theatre theater hotel_room waiting_room " +
    "dining_room lounge pub laboratory gym workshop 房间 室内 屋里",
  kitchen: "kitchen kitchens restaurant_kitchen restaurant bakery diner cafe coffee_shop cocina " +
    "küche cuisine 厨房 餐厅",
  tabletop: "tabletop table_top countertop table_surface 桌上 桌子上",
  studio: "studio studio_background studio_backdrop photo_studio plain_background " +
    "plain_backdrop solid_background seamless_background blank_background empty_background " +
    "simple_background neutral_background gradient_background",
  abstract: "abstract abstract_background abstract_landscape abstract_shapes",
  sky: "sky skies in_the_air heavens cielo himmel ciel 天空",
  space: "space outer_space galaxy galaxies cosmos cosmic universe nebula orbit espacio weltraum " +
    "espace 太空 宇宙 星系",
  moon_surface: "lunar on_the_moon moon_surface lunar_surface en_la_luna auf_dem_mond 月球",
  underwater: "underwater undersea seabed ocean_floor coral coral_reef reef deep_sea submarino " +
    "unterwasser sous_l'eau 水下 海底",
};
