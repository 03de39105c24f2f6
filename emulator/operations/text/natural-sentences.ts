import type { RandomFunction } from '../../state/seeded-random.ts'
import { createAsciiSentence, pick } from './ascii-sentences.ts'

/*
 * Text as models write it. Every second sentence is in another script, so that a client that breaks on such characters
 * fails at the first ordinary completion.
 */

/** Words of simple sentences in one language. All combinations are grammatical. */
interface SentenceParts {
  readonly subjects: readonly string[]
  readonly verbs: readonly string[]
  readonly objects: readonly string[]
}

interface LanguageSource {
  /** Matches a message that names the language, or that contains a character of its script. */
  readonly pattern: RegExp
  /** Creates a sentence with a space before it. */
  createSentence(random: RandomFunction): string
}

const CHINESE: SentenceParts = {
  subjects: ['老师', '医生', '船长', '画家', '邻居', '孩子们', '工程师', '图书馆员'],
  verbs: ['找到了', '画下了', '记住了', '看见了', '问起了', '谈到了', '喜欢'],
  objects: ['那扇窗户', '一封旧信', '三盏灯笼', '河边的小桥', '新的地图', '一篮苹果', '村里的钟', '那本厚书'],
}

const JAPANESE: SentenceParts = {
  subjects: ['先生', '医者', '船長', '画家', '隣の人', '子どもたち', '司書', 'エンジニア'],
  verbs: ['見つけました', '描きました', '思い出しました', '眺めました', '覚えています', '探しています'],
  objects: ['古い手紙', '大きな窓', '赤い提灯', '川の橋', '新しい地図', '村の時計', '厚い本', 'りんごのかご'],
}

const HINDI: SentenceParts = {
  subjects: ['शिक्षक', 'चिकित्सक', 'कप्तान', 'चित्रकार', 'पड़ोसी', 'बच्चों', 'इंजीनियर'],
  verbs: ['देखा', 'ढूँढा', 'बनाया', 'दिखाया', 'याद किया', 'पसंद किया'],
  objects: ['पुराना पत्र', 'बड़ा दरवाज़ा', 'नया नक्शा', 'लाल दीपक', 'गाँव का कुआँ', 'छोटा पुल', 'हरा बगीचा'],
}

const ARABIC: SentenceParts = {
  subjects: ['المعلّم', 'الطبيب', 'القبطان', 'الرسّام', 'الجار', 'المهندس', 'الطفل'],
  verbs: ['وجد', 'رأى', 'رسم', 'تذكّر', 'أحبّ', 'وصف'],
  objects: ['النافذة القديمة', 'الرسالة الطويلة', 'الخريطة الجديدة', 'المصباح الصغير', 'الجسر الخشبي', 'الكتاب الكبير'],
}

/** Emoji of several code points: skin tones, joined sequences, flags, variation selectors, keycaps. */
const EMOJI = ['🎉', '👍🏽', '👩‍💻', '👨‍👩‍👧‍👦', '🏳️‍🌈', '❤️', '🇯🇵', '🧑🏿‍🚀', '1️⃣', '🤝🏻', '☕', '👋🏾']

/** Languages and scripts in which a client can request text. The first one whose pattern matches applies. */
export const LANGUAGES = {
  Japanese: {
    pattern: /\bJapanese\b|[ぁ-ヿ]/i,
    createSentence: (random) => fill(JAPANESE, random, (subject, verb, object) => ` ${subject}は${object}を${verb}。`),
  },
  Chinese: {
    pattern: /\bChinese\b|[㐀-鿿]/i,
    createSentence: (random) => fill(CHINESE, random, (subject, verb, object) => ` ${subject}${verb}${object}。`),
  },
  Hindi: {
    pattern: /\bHindi\b|[ऀ-ॿ]/i,
    createSentence: (random) => fill(HINDI, random, (subject, verb, object) => ` ${subject} ने ${object} ${verb}।`),
  },
  Arabic: {
    pattern: /\bArabic\b|[؀-ۿ]/i,
    createSentence: (random) => fill(ARABIC, random, (subject, verb, object) => ` ${verb} ${subject} ${object}.`),
  },
  emoji: {
    pattern: /\bemoji\b|\p{Emoji_Presentation}/iu,
    createSentence: (random) => ` ${pick(EMOJI, random)}${createAsciiSentence(random)} ${pick(EMOJI, random)}`,
  },
  English: { pattern: /\bEnglish\b/i, createSentence: createAsciiSentence },
} as const satisfies Readonly<Record<string, LanguageSource>>

export type Language = keyof typeof LANGUAGES

function fill(
  { subjects, verbs, objects }: SentenceParts,
  random: RandomFunction,
  join: (subject: string, verb: string, object: string) => string,
): string {
  return join(pick(subjects, random), pick(verbs, random), pick(objects, random))
}

/** English phrases with typographic characters and accents. */
const TYPOGRAPHIC = [
  '“Don’t worry,” she said — and smiled…',
  'The café on the corner – “Chez Zoë” – opens at 7½ o’clock.',
  'He wrote “naïve façade” in the margin; it wasn’t a mistake.',
  'Her résumé mentions São Paulo, Kraków and Ærøskøbing.',
  'It cost 20 € (about ¥3,200), and the temperature was −3 °C.',
  'They’ve “borrowed” the crème brûlée — again!',
  'Straße, señor, œuvre, þing: four words, four alphabets’ guests.',
]

const SPEAKERS = ['so says Zoë', 'that’s what François wrote', 'she’d heard it in Malmö', 'or so they’d told José']

/** Markdown, code, and characters that JSON escapes. Each ends with a line break. */
const BLOCKS = [
  '```python\ndef greet(name):\n    return f"Grüße, {name}!\\n"\n```\n\n',
  '```json\n{"path": "C:\\\\temp\\\\Übersicht.txt", "ok": true}\n```\n\n',
  '## Next steps\n\n- **Open** the window\n- *Close* the “old” door\n- Run `grep -n "\\d+" notes.txt`\n\n',
  '1. Add 250 g of flour.\n2. Mix it with ¼ l of milk.\n3. Wait for ≈ 10 minutes.\n\n',
  '> A quotation – "it\'s only a \\"test\\"".\n\n',
  '| x | x² |\n|---|---|\n| 2 | 4 |\n\n',
]

/** Number of sentences after which the kinds of sentences repeat. */
const CYCLE = 8

/** Creates sentences of which every eighth is a block. A block stands between line breaks. */
export function createNaturalSentence(random: RandomFunction, index: number): string {
  const position = index % CYCLE
  if (position === CYCLE - 1) return pick(BLOCKS, random)
  const sentence = createSpokenSentence(random, index)
  if (position === CYCLE - 2) return `${sentence}\n\n`
  return position === 0 && index > 0 ? sentence.trimStart() : sentence
}

const { English: _, ...OTHERS } = LANGUAGES
const OTHER_LANGUAGES = Object.values(OTHERS)

/** Creates sentences that alternate between English and other scripts, without line breaks. */
export function createSpokenSentence(random: RandomFunction, index: number): string {
  if (index % 2 === 1) {
    const language = OTHER_LANGUAGES[Math.floor(random() * OTHER_LANGUAGES.length)]
    return language?.createSentence(random) ?? ''
  }
  if (index % 4 === 0) return createAsciiSentence(random)
  return random() < 0.5
    ? ` “${createAsciiSentence(random).trimStart()}” — ${pick(SPEAKERS, random)}.`
    : ` ${pick(TYPOGRAPHIC, random)}`
}
