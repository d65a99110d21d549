import { piecesOf } from './pieces.ts'

/** Colours one code after another. Its first message says that it is loaded. */
addEventListener('message', ({ data }: MessageEvent<{ text: string; language: string }>) => {
  postMessage(piecesOf(data.text, data.language))
})
postMessage('loaded')
