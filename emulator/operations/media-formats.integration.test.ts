import { decode } from 'fast-png'
import OpenAI, { toFile } from 'openai'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { measureAudioMs } from './media/audio-file.ts'

const MODEL = 'vendorc-4o'
const SENTENCES = 'The harbor is quiet. The lantern burns all night.'

function connect(emulator: Emulator) {
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: emulator.keys.funded, maxRetries: 0 })
  const speak = async (fields: Partial<OpenAI.Audio.SpeechCreateParams>) =>
    client.audio.speech.create({ model: MODEL, voice: 'alloy', input: SENTENCES, ...fields })
  return { client, speak }
}

test('sends the image that a URL returns as b64_json', async () => {
  const generate = async (fields: Partial<OpenAI.ImageGenerateParamsNonStreaming>) => {
    await using emulator = await startEmulator()
    const request = { model: MODEL, prompt: 'a cat', size: '256x256', n: 2, ...fields } as const
    const { data = [] } = await connect(emulator).client.images.generate(request)
    return await Promise.all(
      data.map(async ({ url, b64_json }) =>
        url === undefined ? Buffer.from(b64_json ?? '', 'base64') : Buffer.from(await (await fetch(url)).bytes()),
      ),
    )
  }
  const embedded = await generate({ response_format: 'b64_json' })
  expect(embedded.map((bytes) => decode(bytes))).toMatchObject([{ width: 256 }, { width: 256 }])
  expect(embedded).toEqual(await generate({ response_format: 'url' }))
})

test('sends WAV and PCM with the duration of the MP3 file, and transcribes the WAV file to its text', async () => {
  await using emulator = await startEmulator()
  const { client, speak } = connect(emulator)
  const [mp3, wav, pcm] = await Promise.all(
    (['mp3', 'wav', 'pcm'] as const).map((format) => speak({ response_format: format })),
  )
  expect([mp3, wav, pcm].map((file) => file?.headers.get('content-type'))).toEqual([
    'audio/mpeg',
    'audio/wav',
    'audio/pcm',
  ])
  const bytes = await Promise.all([mp3, wav, pcm].map(async (file) => Buffer.from(await (file as Response).bytes())))
  const [mp3Ms = NaN, wavMs = NaN] = bytes.map((file) => measureAudioMs(file))
  const samples = new Int16Array(new Uint8Array(bytes[2] ?? []).buffer)
  expect(wavMs).toBe(mp3Ms)
  expect(samples.length / 24).toBe(mp3Ms)
  expect(samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeGreaterThan(5000)
  const file = await toFile(bytes[1] ?? Buffer.alloc(0), 'a.wav')
  expect(await client.audio.transcriptions.create({ model: MODEL, file })).toEqual({ text: SENTENCES })
})

test.each(['opus', 'aac', 'flac'] as const)('rejects speech as %s with 400', async (response_format) => {
  await using emulator = await startEmulator()
  const error = await connect(emulator)
    .speak({ response_format })
    .catch((thrown: unknown) => thrown)
  const message = expect.stringContaining(`cannot encode ${response_format}`)
  expect(error).toMatchObject({ status: 400, param: 'response_format', message })
})

test('speaks twice as fast with speed 2, and rejects a speed outside 0.25 to 4', async () => {
  await using emulator = await startEmulator()
  const { speak } = connect(emulator)
  const durationOf = async (speed: number) => measureAudioMs(await (await speak({ speed })).bytes()) ?? NaN
  const normal = await durationOf(1)
  expect((await durationOf(2)) / normal).toBeCloseTo(0.5, 1)
  expect((await durationOf(0.25)) / normal).toBeCloseTo(4, 1)
  await expect(durationOf(5)).rejects.toMatchObject({ status: 400, param: 'speed' })
})

test('shortens the separator of times in the text of subtitles', async () => {
  await using emulator = await startEmulator({
    fixtures: [{ operation: 'transcriptions', text: 'Go --> there.\n\nStop.' }],
  })
  const { client, speak } = connect(emulator)
  const file = await toFile(Buffer.from(await (await speak({})).bytes()), 'a.mp3')
  for (const response_format of ['srt', 'vtt'] as const) {
    const subtitles: unknown = await client.audio.transcriptions.create({ model: MODEL, file, response_format })
    expect(
      String(subtitles)
        .split('\n')
        .filter((line) => /^[GS]/.test(line)),
    ).toEqual(['Go -> there.', 'Stop.'])
  }
})

test('sends a transcription as text, as subtitles, and with timestamps', async () => {
  await using emulator = await startEmulator()
  const { client, speak } = connect(emulator)
  const bytes = Buffer.from(await (await speak({ response_format: 'wav' })).bytes())
  const durationMs = measureAudioMs(bytes) ?? NaN
  const transcribe = async (fields: object) =>
    (await client.audio.transcriptions.create({
      model: MODEL,
      file: await toFile(bytes, 'a.wav'),
      ...fields,
    })) as unknown
  expect(await transcribe({ response_format: 'text' })).toBe(`${SENTENCES}\n`)
  const time = String.raw`00:00:0\d[,.]\d{3}`
  expect(await transcribe({ response_format: 'srt' })).toMatch(
    new RegExp(
      `^1\n00:00:00,000 --> ${time}\nThe harbor is quiet\\.\n\n2\n${time} --> ${time}\nThe lantern burns all night\\.\n\n$`,
    ),
  )
  expect(await transcribe({ response_format: 'vtt' })).toMatch(
    new RegExp(`^WEBVTT\n\n00:00:00\\.000 --> ${time}\nThe harbor is quiet\\.\n\n${time} --> ${time}\n`),
  )
  const verbose = await transcribe({ response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] })
  expect(verbose).toMatchObject({
    task: 'transcribe',
    text: SENTENCES,
    duration: durationMs / 1000,
    segments: [
      { id: 0, start: 0, text: 'The harbor is quiet.' },
      { id: 1, end: durationMs / 1000 },
    ],
    words: Array.from({ length: 9 }, () => ({ word: expect.any(String) })),
  })
  expect(await transcribe({ response_format: 'verbose_json' })).not.toHaveProperty('words')
  await expect(transcribe({ response_format: 'diarized_json' })).rejects.toMatchObject({ status: 400 })
})
