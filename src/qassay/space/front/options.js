// The settings of the form as the text that the server reads: name=value, one per line.

// Throws an Error with a sentence for the visitor if a setting is given twice.
//   settings: {metric, preset, confidence, groups}; "" where nothing is chosen
//   columns: ROLE=NAME, one per line; more: name=value, one per line
export function optionsText(settings, columns = "", more = "") {
  const chosen = Object.entries(settings).filter(([, value]) => value !== "" && value !== null);
  const lines = more.split("\n").map((line) => line.trim()).filter(Boolean);
  for (const [name] of chosen) {
    if (lines.some((line) => line.split("=")[0].trim() === name))
      throw new Error(`${name} is set above and among the options: leave one of them out.`);
  }
  return [
    ...chosen.map(([name, value]) => `${name}=${value}`),
    ...columns.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => `columns=${line}`), ...lines
  ].join("\n");
}

// The presets of a metric, or of all: [metric, [name, ...]].
export function presetsOf(presets, metric) {
  return Object.entries(presets).filter(([name, listed]) => listed.length && (!metric || name === metric));
}

// Whether a preset stands for several: "mlqa:LANG" means one preset per language.
export function isFamily(preset) {
  return preset.endsWith(":LANG");
}

// The state of a call, as a sentence.
export function progressText({sent, place, scoring}) {
  if (scoring) return "Scoring …";
  if (place !== undefined) return place <= 1 ? "Next in line …" : `Place ${place} in line …`;
  return sent < 1 ? `Uploading … ${Math.floor(100 * sent)} %` : "Uploaded …";
}
