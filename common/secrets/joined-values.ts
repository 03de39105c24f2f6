import { compose, type DecodedText, findQuote, joinRanges, type TextRange } from './decoded-text.ts'
import { decodeEscapes, JSON_ESCAPES } from './decodings.ts'

/** Parts of a text that a reader may join. */
type Lanes = Map<string, TextRange[]>

/** A list or an object that contains the strings of a JSON text. */
interface Container {
  readonly parent: Container | undefined
  readonly name: string
  readonly isList: boolean
  /** Position of the current item of a list, or of the object in the nearest list. */
  position: number
  /** Value of the field `index`, such as that of a choice or a tool call. */
  index: string
}

/** A string of a JSON text, and the container that it is in. */
interface Value extends TextRange {
  readonly container: Container
  readonly name: string
  readonly position: number
}

/**
 * Returns the joined strings of a JSON text, at each level of escapes of JSON. Other escapes remain, because a string may
 * contain only a part of one.
 */
export function joinStrings(text: string): DecodedText[] {
  return decodeEscapes(text, [JSON_ESCAPES]).flatMap((level) => {
    const lanes = listLanes(level.text)
    return lanes.length === 0 ? [] : [compose(level, joinRanges(level.text, lanes))]
  })
}

/** Matches a field of an event stream, or a comment. */
const EVENT_FIELD = /^([\w-]*):([^\r\n]+)/gm
const EVENT_FIELD_IN_STRING = /([\w-]*):([^\r\n"]+)/y

/** Matches the start of an event whose data is JSON. */
const EVENT_START = /data: ?[[{]+$/

/** Matches the start of a value that is JSON, or is empty. */
const JSON_START = /^\s*(?:\{\s*["'}]|\[\s*["'{[\]\d-]|"|$)/

/** Matches the punctuation of JSON in single quotes. */
const SINGLE_QUOTED = /'\s*[:,]|[[{:,]\s*'/

/** Returns the parts of a text that belong together: values of one name or at one path, and values of one field of events. */
function listLanes(text: string): TextRange[][] {
  const lanes: Lanes = new Map()
  collectStrings(text, 0x22, lanes)
  if (SINGLE_QUOTED.test(text)) collectStrings(text, 0x27, lanes)
  for (const match of text.matchAll(EVENT_FIELD)) addEventField(lanes, match)
  for (const [key, lane] of lanes) if (key.startsWith('line ')) lane.sort((a, b) => a.start - b.start)
  const kept = new Map<number, TextRange[][]>()
  const keep = (lane: TextRange[]) => {
    const [first] = lane
    if (first === undefined || lane.length < 2) return
    const similar = kept.get(first.start) ?? []
    if (similar.some((other) => isSameLane(other, lane))) return
    kept.set(first.start, [...similar, lane])
  }
  for (const lane of lanes.values()) {
    keep(lane)
    keep(lane.map((range) => trimPunctuation(text, range)))
  }
  return [...kept.values()].flat()
}

function addEventField(lanes: Lanes, { 0: line, 1: name, 2: value = '', index }: RegExpExecArray): void {
  const end = index + line.length
  if (!JSON_START.test(value)) addRange(lanes, `line ${name}`, { start: end - value.trimStart().length, end })
}

function isSameLane(a: readonly TextRange[], b: readonly TextRange[]): boolean {
  return a.length === b.length && a.every(({ start, end }, at) => b[at]?.start === start && b[at]?.end === end)
}

function addRange(lanes: Lanes, key: string, range: TextRange): void {
  const lane = lanes.get(key)
  if (lane === undefined) lanes.set(key, [range])
  else lane.push(range)
}

const PUNCTUATION = /[\s:,]/

function trimPunctuation(text: string, { start, end }: TextRange): TextRange {
  let [first, last] = [start, end]
  while (first < last && PUNCTUATION.test(text.charAt(first))) first += 1
  while (first < last && PUNCTUATION.test(text.charAt(last - 1))) last -= 1
  return { start: first, end: last }
}

/**
 * Collects the strings of a JSON text by the last name before them, by path and `index`, and by path and position in the
 * nearest list.
 */
function collectStrings(text: string, quote: number, lanes: Lanes): void {
  const containers: Container[] = []
  const values: Value[] = []
  const open = (parent: Container | undefined, name: string, isList: boolean): Container => {
    const container = { parent, name, isList, position: isList ? 0 : (parent?.position ?? 0), index: '' }
    containers.push(container)
    return container
  }
  const root = open(undefined, '', false)
  let container = root
  let name = ''
  for (const { isName, isString, start, end } of listGaps(text, quote)) {
    if (isName) name = text.slice(start, end)
    else if (isString) {
      EVENT_FIELD_IN_STRING.lastIndex = start
      const field = EVENT_FIELD_IN_STRING.exec(text)
      if (field !== null) addEventField(lanes, field)
      addRange(lanes, `${quote} name ${name}`, { start, end })
      values.push({ start, end, container, name: container.isList ? '' : name, position: container.position })
    } else if (name === 'index') container.index = /\d+/.exec(text.slice(start, end))?.[0] ?? container.index
    const event = EVENT_START.exec(text.slice(Math.max(start, end - 12), end))?.[0]
    // The next event of a stream begins, whatever the nesting of the last one.
    if (event !== undefined) container = root
    if (isString && event === undefined) continue
    for (let at = event === undefined ? start : end - event.length; at < end; at += 1) {
      const mark = text[at]
      if (mark === ',' && container.isList) container.position += 1
      else if (mark === '[' || mark === '{')
        container = open(container, container.isList || container === root ? '' : name, mark === '[')
      else if (mark === ']' || mark === '}') container = container.parent ?? container
    }
  }
  addByPath(containers, values, { lanes, quote })
}

interface PathOptions {
  readonly lanes: Lanes
  readonly quote: number
}

/** Groups values by path. A number represents each path, so that deep nesting does not result in long texts. */
function addByPath(containers: readonly Container[], values: readonly Value[], { lanes, quote }: PathOptions): void {
  const numbers = new Map<string, number>()
  const numberOf = (path: string): number => {
    const number = numbers.get(path) ?? numbers.size
    numbers.set(path, number)
    return number
  }
  const byPath = new Map<Container, number>()
  const byIndex = new Map<Container, number>()
  // A parent comes before its children.
  for (const container of containers) {
    const { parent, name, index } = container
    byPath.set(container, numberOf(`${parent && byPath.get(parent)} ${name}`))
    byIndex.set(container, numberOf(`${parent && byIndex.get(parent)} ${index} ${name}`))
  }
  for (const { container, name, position, start, end } of values) {
    addRange(lanes, `${quote} index ${byIndex.get(container)} ${name}`, { start, end })
    addRange(lanes, `${quote} position ${byPath.get(container)} ${position} ${name}`, { start, end })
  }
}

interface Gap extends TextRange {
  readonly isString: boolean
  readonly isName: boolean
}

/**
 * Yields the text before the first quote and between each pair of adjacent quotes. It cannot rely on every second quote
 * being an opening one, because a string may itself contain a JSON text. A string before a colon is a name.
 */
function* listGaps(text: string, quote: number): Generator<Gap> {
  let start = 0
  let wasString = false
  for (let end = findQuote(text, 0, quote); end < text.length;) {
    const next = findQuote(text, end + 1, quote)
    const isString: boolean = start > 0 && isStringAt(text, { start, end }, wasString)
    yield { start, end, isString, isName: isString && text[skipSpaces(text, end + 1)] === ':' }
    wasString = isString
    start = end + 1
    end = next
  }
}

/** Matches the start of a text that cannot follow or precede a string of JSON. */
const NOT_PUNCTUATION = /^(?:[\]{}] *[\w%&\\#;-]|[,[] *(?!true|false|null)[a-z_%&\\])/i

function isStringAt(text: string, { start, end }: TextRange, wasString: boolean): boolean {
  const first = skipSpaces(text, start)
  if (first >= end) return false
  const mark = text.charAt(first)
  if (mark === ':') return !wasString
  return !',[]{}'.includes(mark) || NOT_PUNCTUATION.test(text.slice(first, Math.min(end, first + 12)))
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at += 1
  return at
}
