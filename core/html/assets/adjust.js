// Scores by a board's controls, with intervals and ranks by the jackknife.
const adjusted = ({ models, controls, values, left_out, t, t_pairs }, strengths) => {
  const sum = (x) => x.reduce((a, b) => a + b, 0), mean = (x) => sum(x) / x.length,
    scores = (rows) => {
    const means = controls.map((_, c) => mean(rows.map((row) => row[c + 1])));
    return rows.map(([score, ...x]) => x.reduce((now, value, c) => now * (1 - controls[c].scale * strengths[c] * (means[c] > 0 ? Math.min(1, value / means[c] - 1) : 0)), score));
  },
    points = scores(values), again = left_out.map(scores), n = again.length,
    error = (of) => { const x = again.map(of), m = mean(x); return Math.sqrt((n - 1) / n * sum(x.map((v) => (v - m) ** 2))); },
    view = { name: "adjusted", ranks: {}, values: {} };
  models.forEach((id, a) => {
    const arm = t && t * error((x) => x[a]) || null;
    view.values[id] = [points[a], ...arm === null ? [null, null] : [points[a] - arm, points[a] + arm]];
    if (arm === null) return;
    const apart = points.map((point, b) => Math.abs(points[a] - point) > t_pairs * error((x) => x[a] - x[b]) ? Math.sign(point - points[a]) : 0);
    view.ranks[id] = [1 + apart.filter((s) => s > 0).length, models.length - apart.filter((s) => s < 0).length];
  });
  return view;
};
