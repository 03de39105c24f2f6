import type { RandomFunction } from '../../state/seeded-random.ts'

/** Number of colours in the palette, which contains shades of the background and of the discs. */
export const PALETTE_SIZE = 16

const BACKGROUND_SHADES = 8
const DISC_SHADES = PALETTE_SIZE - BACKGROUND_SHADES
const DISCS = 5
/** Maximum number of different rows. Larger images repeat rows to save computing time. */
const MAX_DISTINCT_ROWS = 512

interface Disc {
  readonly xPx: number
  readonly yPx: number
  readonly radiusPx: number
}

/** Parameters of an image, from which {@link renderRow} computes the pixels. */
export interface ImagePattern {
  readonly width: number
  readonly height: number
  /** Number of consecutive identical rows. */
  readonly rowRepeatPx: number
  /** RGB colours, one byte per channel. */
  readonly palette: Uint8Array
  readonly discs: readonly Disc[]
  /** Change of the stripe phase per pixel in each direction, as a fraction of a stripe. */
  readonly stripeSlope: { readonly x: number; readonly y: number }
}

export function planImagePattern(width: number, height: number, random: RandomFunction): ImagePattern {
  const longest = Math.max(width, height)
  const hue = random()
  const stripes = 2 + 4 * random()
  const angle = random() * Math.PI
  const discs = Array.from({ length: DISCS }, () => ({
    xPx: random() * width,
    yPx: random() * height,
    radiusPx: (0.05 + 0.2 * random()) * longest,
  }))
  return {
    width,
    height,
    rowRepeatPx: Math.ceil(longest / MAX_DISTINCT_ROWS),
    palette: createPalette(hue, hue + 0.3 + 0.4 * random()),
    discs,
    stripeSlope: { x: (Math.cos(angle) * stripes) / longest, y: (Math.sin(angle) * stripes) / longest },
  }
}

/** Writes the palette index of each pixel of row `y` into `row`: first the background, then the discs. */
export function renderRow(pattern: ImagePattern, y: number, row: Uint8Array): void {
  const { width, stripeSlope } = pattern
  const steps = 2 * BACKGROUND_SHADES
  const start = y * stripeSlope.y * steps
  for (let x = 0; x < width; x += 1) {
    // The shades follow a triangle wave, so stripes have no hard edges.
    const step = Math.floor(start + x * stripeSlope.x * steps) & (steps - 1)
    row[x] = step < BACKGROUND_SHADES ? step : steps - 1 - step
  }
  for (const disc of pattern.discs) {
    renderDisc(disc, y, row, width)
  }
}

/** Renders one row of a disc as concentric rings. Each inner ring is a shade lighter. */
function renderDisc(disc: Disc, y: number, row: Uint8Array, width: number): void {
  const aside = Math.abs(y - disc.yPx)
  for (let ring = 0; ring < DISC_SHADES; ring += 1) {
    const radius = disc.radiusPx * (1 - ring / DISC_SHADES)
    if (aside >= radius) {
      return
    }
    const half = Math.sqrt(radius * radius - aside * aside)
    const from = Math.max(0, Math.round(disc.xPx - half))
    const to = Math.min(width, Math.round(disc.xPx + half))
    if (from < to) {
      row.fill(BACKGROUND_SHADES + ring, from, to)
    }
  }
}

function createPalette(groundHue: number, discHue: number): Uint8Array {
  const palette = new Uint8Array(3 * PALETTE_SIZE)
  for (let index = 0; index < PALETTE_SIZE; index += 1) {
    const isGround = index < BACKGROUND_SHADES
    const shade = isGround ? index / BACKGROUND_SHADES : (index - BACKGROUND_SHADES) / DISC_SHADES
    const light = isGround ? 0.25 + 0.45 * shade : 0.45 + 0.45 * shade
    palette.set(convertHueToRgb(isGround ? groundHue + 0.08 * shade : discHue, light), 3 * index)
  }
  return palette
}

/** Converts a hue in turns and a lightness from 0 to 1 to RGB, at a fixed saturation. */
function convertHueToRgb(hue: number, light: number): [red: number, green: number, blue: number] {
  const spread = 0.55 * Math.min(light, 1 - light)
  const channel = (offset: number): number => {
    const position = (((hue * 12 + offset) % 12) + 12) % 12
    return Math.round(255 * (light - spread * Math.max(-1, Math.min(position - 3, 9 - position, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
