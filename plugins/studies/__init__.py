"""Studies of many results: correlations, reruns, two judges, a judge's comparisons."""
