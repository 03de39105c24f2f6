import { expect, test } from 'vitest'
import { UploadLimiter } from './upload-limiter.ts'

function createUpload() {
  const upload = {
    isPaused: false,
    pause: () => (upload.isPaused = true),
    resume: () => (upload.isPaused = false),
  }
  return upload
}

test('receives only the oldest and small uploads above the limit, and all others again below it', () => {
  const limiter = new UploadLimiter(100, 10)
  const uploads = [createUpload(), createUpload(), createUpload()] as const
  const paused = () => uploads.map(({ isPaused }) => isPaused)
  for (const upload of uploads) limiter.add(upload, 30)
  expect(paused()).toEqual([false, false, false])
  for (const upload of uploads) limiter.add(upload, 30)
  expect(paused()).toEqual([false, true, true])
  const small = createUpload()
  limiter.add(small, 10)
  expect(small.isPaused).toBe(false)
  limiter.remove(small)
  limiter.add(uploads[0], 100)
  expect(paused()).toEqual([false, true, true])
  limiter.add(uploads[1], 60) // Data that the socket had already received.
  limiter.remove(uploads[0])
  expect(paused()).toEqual([false, false, true])
  limiter.remove(uploads[1])
  expect(paused()).toEqual([false, false, false])
})
